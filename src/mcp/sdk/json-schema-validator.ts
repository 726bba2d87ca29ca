/**
 * Replaces Ajv in both SDKs, which is larger than the rest of SDK v1. The SDKs validate only the values of
 * a form that a server sends to the user (elicitation), and this server sends none.
 */
export const jsonSchemaValidator = {
  getValidator: (): never => {
    throw new Error('this server sends no forms');
  },
};
