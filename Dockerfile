# strandline as an image: the built program and what it needs to run, as the user `node`. Debian, because the
# packages with native code are for glibc. For one person, with everything inside; the token to sign in is in its log, once:
#
#   docker build -t strandline .
#   docker run -d --name strandline --init -p 127.0.0.1:7810:7810 -v strandline:/data/strandline -m 1g --stop-timeout 45 \
#     strandline up --create-token
#   docker logs strandline
#
# For deployments, see docker-compose.yml, and pin the base by its digest:
#
#   docker build --build-arg BASE=node:24-bookworm-slim@sha256:... -t strandline .

ARG BASE=node:24-bookworm-slim

# What builds: with the compiler, which is removed afterwards. The packages change more rarely than the sources, so they are
# installed before these are copied. No package's script is run; none of ours needs one.
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund
RUN mkdir --parents --mode=0700 /data/strandline

FROM ${BASE} AS runtime
ENV NODE_ENV=production
WORKDIR /app
# Owned by root, so that the program cannot change itself.
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY migrations migrations
COPY docker/healthy.sh ./
# Where a volume for the data directory is mounted: a new one takes its owner and its mode from here.
COPY --from=build --chown=node:node /data /data
USER node

# A container is reached by the ports that are published, and its data is in a volume.
ENV HOST=0.0.0.0
ENV STRANDLINE_DATA_DIR=/data/strandline

# A worker and the search service have no server of their own for this: metrics and health are here, for the container
# alone unless METRICS_HOST says otherwise.
ENV METRICS_PORT=9464
# Whether it can work: database and queue answer, and a worker takes runs. The API alone has its own port, see docker-compose.yml.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
  CMD ["bash", "/app/healthy.sh"]

ENTRYPOINT ["node", "dist/main.js"]
CMD ["worker"]
