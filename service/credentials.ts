import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Credentials } from '../contract/service-process.ts'
import { UsageError } from './command-line.ts'
import type { Log } from './log.ts'

const shape = /^[\x21-\x7e]{1,128}$/

function checked(value: unknown, source: string): Credentials {
  const { appKey, appSecret } = (value ?? {}) as { appKey?: unknown; appSecret?: unknown }
  if (typeof appKey !== 'string' || typeof appSecret !== 'string' || !shape.test(appKey) || !shape.test(appSecret))
    throw new UsageError(`${source} must give an AppKey and an AppSecret of 1 to 128 ASCII characters without spaces.`)
  return { appKey, appSecret }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

/**
 * The key pair of a stand-alone service (decisions, Secrets): SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET, which are taken out of the
 * environment, else `credentials.json` (0600) in the data directory, made at random when it is not there. Throws UsageError.
 */
export function standAloneCredentials(dataDir: string, environment: NodeJS.ProcessEnv, log: Pick<Log, 'info' | 'warn'>): Credentials {
  const { SIDESTAGE_APP_KEY: appKey, SIDESTAGE_APP_SECRET: appSecret } = environment
  delete environment.SIDESTAGE_APP_SECRET
  if (appKey !== undefined || appSecret !== undefined) return checked({ appKey, appSecret }, 'SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET together')

  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'credentials.json')
  const made: Credentials = { appKey: randomBytes(16).toString('hex'), appSecret: randomBytes(20).toString('hex') }
  try {
    writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    log.info({ file: path }, 'a key pair was made; it lies in this file')
    return made
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    chmodSync(path, 0o600)
    log.warn({ file: path }, 'the key pair was readable by others; its mode is 0600 now')
  }
  log.info({ file: path }, 'the key pair comes from this file')
  return checked(parsed(readFileSync(path, 'utf8')), path)
}
