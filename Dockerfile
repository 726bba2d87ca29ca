# One image for every instance: DATA_DIR for one machine, DATABASE_URL for many. See docs/operations.md.
# For a reproducible build pass the image with its digest: --build-arg NODE_IMAGE=node:24-slim@sha256:...
ARG NODE_IMAGE=node:24-slim
# The bundle is the same for every processor.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY bin bin
COPY src src
COPY tools tools
COPY data/demo data/demo
RUN npm run build

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /porchlight
# The bundle holds all it needs, so that no package is installed here.
COPY --from=build /build/dist dist
COPY package.json LICENSE ./
COPY bin/porchlight.js bin/
RUN ln -s /porchlight/bin/porchlight.js /usr/local/bin/porchlight && install -d -o node -g node -m 700 /data /backups /secrets
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8787) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/porchlight.js"]
CMD ["serve"]
