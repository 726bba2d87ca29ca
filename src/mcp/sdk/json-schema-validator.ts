/**
 * Takes the place of Ajv in both SDKs, which is larger than the rest of SDK v1. The SDKs validate nothing
 * but what a user fills into a form of the server (elicitation), and this server asks for none.
 */
export const jsonSchemaValidator = {
  getValidator: (): never => {
    throw new Error('this server sends no forms');
  },
};
