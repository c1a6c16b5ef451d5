# strandline as an image: the built program and what it needs to run, as the user `node`. Debian, because the
# packages with native code are for glibc. For deployments, pin the base by its digest.

FROM node:20-bookworm-slim AS build
WORKDIR /app
# The packages change more rarely than the sources: they stand in a layer of their own.
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# Owned by root, so that the program cannot change itself.
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY migrations migrations
USER node

# A worker tells the database that it lives; this asks whether this container's did within 90 seconds. Servers
# that listen are asked at their port instead, see docker-compose.yml.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["node", "--input-type=module", "--eval", "\
import { readFileSync } from 'node:fs';\
import { hostname } from 'node:os';\
import { Client } from 'pg';\
const { DATABASE_URL, DATABASE_URL_FILE } = process.env;\
const connectionString = DATABASE_URL_FILE ? readFileSync(DATABASE_URL_FILE, 'utf8').trim() : DATABASE_URL;\
const client = new Client({ connectionString, connectionTimeoutMillis: 5000, query_timeout: 5000 });\
await client.connect();\
const lives = 'SELECT FROM strandline.workers WHERE starts_with(name, $1) AND seen_at > now() - make_interval(secs => 90)';\
const { rowCount } = await client.query(lives, [hostname() + ':']);\
await client.end();\
process.exit(rowCount > 0 ? 0 : 1);\
"]

ENTRYPOINT ["node", "dist/main.js"]
CMD ["worker"]
