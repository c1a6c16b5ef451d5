# strandline as an image: the built program and what it needs to run, as the user `node`. Debian, because the
# packages with native code are for glibc. For deployments, pin the base by its digest:
#
#   docker build --build-arg BASE=node:24-bookworm-slim@sha256:... -t strandline .

ARG BASE=node:24-bookworm-slim

# What runs: production dependencies only. No package's script is run; none of ours needs one. The packages change more
# rarely than the sources, so they stand in layers of their own.
FROM ${BASE} AS deps
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
RUN mkdir --parents --mode=0700 /data/strandline

# What builds: with the compiler. Nothing of it is in the image but `dist`.
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build

FROM ${BASE} AS runtime
ENV NODE_ENV=production
WORKDIR /app
# Owned by root, so that the program cannot change itself.
COPY --from=deps /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY migrations migrations
COPY docker/healthy.sh ./
# Where a volume for the data directory is mounted: a new one takes its owner and its mode from here.
COPY --from=deps --chown=node:node /data /data
USER node

# A worker and the search service have no server of their own for this: metrics and health are here, for the container
# alone unless METRICS_HOST says otherwise.
ENV METRICS_PORT=9464
# Whether it can work: database and queue answer, and a worker takes runs. The API has its own port, see docker-compose.yml.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
  CMD ["bash", "/app/healthy.sh"]

ENTRYPOINT ["node", "dist/main.js"]
CMD ["worker"]
