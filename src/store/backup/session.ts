import type { Client } from 'pg';
import { connect } from '../../engine/postgres/connect.ts';

/** What decides how values are written as text, the same on the way out and in, whatever the server is set to. */
const SETTINGS = `
SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'iso_8601'; SET bytea_output = 'hex';
SET extra_float_digits = 3; SET client_encoding = 'UTF8'; SET standard_conforming_strings = on;
SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '60s'; SET work_mem = '64MB'`;

/** A connection of its own, for as long as it takes. */
export async function openCopySession(url: string, name: string): Promise<Client> {
  const client = await connect(url, name);
  try {
    await client.query(SETTINGS);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}
