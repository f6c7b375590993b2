import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { haproxyProgram, settingsOfNodes } from '../../scripts/cluster/engines.ts'
import { haproxyFile } from '../../scripts/cluster/haproxy-config.ts'
import type { Apart } from './apart.ts'
import { asPostgres, serverSettings } from './postgres.ts'
import { redisProgram } from './redis.ts'
import { swiftAccessKey, writeSwift } from './swift.ts'

const service = path.join(import.meta.dirname, '..', '..', 'out', 'main', 'service-alone.js')
/** Where programs listen, each on the address of its computer. */
export const apartPorts = {
  api: 8710,
  media: 8711,
  rtmp: 1935,
  metrics: 8712,
  postgres: 5432,
  redis: 6379,
  store: 8080,
  proxy: 80,
} as const
/** Key pair of all nodes. */
export const apartCredentials = { appKey: 'apart', appSecret: 'secret-of-a-test' } as const
/** The nodes. */
export const apartNodes = ['n1', 'n2', 'n3'] as const
/** A computer of such a cluster. */
export type ApartHost = 'db' | 'redis' | 'store' | 'proxy' | (typeof apartNodes)[number]

/** What there is beside three nodes and their engines. */
export interface ApartChoice {
  /** An object store, which is OpenStack Swift, on the computer `store`. */
  readonly withStore?: boolean
  /** HAProxy on the computer `proxy`, by whose address the nodes are reached. */
  readonly withProxy?: boolean
  /** A node whose clock can be set; links of accounts go to nodes without TLS then. */
  readonly clockOf?: ApartHost
}

const clockLibrary = (): string | undefined => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]
/** Whether the clock of one program can be set here. */
export const canSetClocks = (): boolean => clockLibrary() !== undefined
const clockFile = (folder: string): string => path.join(folder, 'clock')

/** Sets the clock of the node of `clockOf` to so many seconds ahead, below 0 behind. In force within a second. */
export const setClock = (folder: string, seconds: number): void =>
  writeFileSync(clockFile(folder), `${seconds < 0 ? '' : '+'}${seconds}\n`)

/** What runs a command with that clock: time of day alone, asked for again each second. */
const withClock = (folder: string): string[] => [
  'env',
  `LD_PRELOAD=${clockLibrary()}`,
  `FAKETIME_TIMESTAMP_FILE=${clockFile(folder)}`,
  'FAKETIME_CACHE_DURATION=1',
  'FAKETIME_DONT_FAKE_MONOTONIC=1',
  'NO_FAKE_STAT=1',
]

/** The configuration of operators for these nodes; to them it says that clients came by TLS. */
function writeProxy(file: string, { addressOf }: Apart): void {
  const at = addressOf('proxy')
  const text = readFileSync(haproxyFile, 'utf8')
    .replace(/frontend plain\n(?: .*\n)+\n/, '')
    .replaceAll('node-', 'n')
    .replaceAll(/10\.0\.0\.1([123])/g, (_, number) => addressOf(`n${number}`))
    .replace(/bind :443 .*/, `bind ${at}:${apartPorts.proxy}`)
    .replace(/bind :1935$/m, `bind ${at}:${apartPorts.rtmp}`)
    .replace('%[ssl_fc,iif(https,http)]', 'https')
    .replace('live.example.com', at)
  writeFileSync(file, text)
}

/** Where the object store of such a cluster is. */
export const apartStore = ({ addressOf }: Pick<Apart, 'addressOf'>) => ({
  endpoint: `http://${addressOf('store')}:${apartPorts.store}`,
  bucket: 'sidestage',
  region: 'us-east-1',
  accessKey: swiftAccessKey,
  secretKey: 'secret-of-the-store',
})

/** Commands of all programs; what they need is in the folder. */
export async function apartPrograms(apart: Apart, folder: string, choice: ApartChoice) {
  const { addressOf } = apart
  const store = apartStore(apart)
  const env = {
    PATH: process.env['PATH'],
    SIDESTAGE_APP_KEY: apartCredentials.appKey,
    SIDESTAGE_APP_SECRET: apartCredentials.appSecret,
    SIDESTAGE_DATABASE_URL: `postgres://sidestage@${addressOf('db')}:${apartPorts.postgres}/postgres`,
    SIDESTAGE_REDIS_URL: `redis://${addressOf('redis')}:${apartPorts.redis}`,
    ...(choice.withStore && {
      SIDESTAGE_S3_ENDPOINT: store.endpoint,
      SIDESTAGE_S3_BUCKET: store.bucket,
      SIDESTAGE_S3_REGION: store.region,
      SIDESTAGE_S3_ACCESS_KEY: store.accessKey,
      SIDESTAGE_S3_SECRET_KEY: store.secretKey,
    }),
  }
  const proxyFile = path.join(folder, 'haproxy.cfg')
  if (choice.withProxy) writeProxy(proxyFile, apart)
  if (choice.clockOf) setClock(folder, 0)
  const swift: string[][] = []
  if (choice.withStore) {
    mkdirSync(path.join(folder, 'store'))
    const ports = { account: 6202, container: 6201, object: 6200, cache: 11_211, proxy: apartPorts.store }
    const programs = await writeSwift(path.join(folder, 'store'), ports, store.secretKey, addressOf('store'))
    swift.push(...programs.map(({ command }) => [...command]))
  }

  const nodeAt = (host: ApartHost): string[] => {
    const at = addressOf(host)
    const proxy = choice.withProxy ? addressOf('proxy') : undefined
    const given = {
      node: host,
      data: path.join(folder, host),
      'bind-api': at,
      'bind-media': at,
      'bind-rtmp': at,
      'api-port': apartPorts.api,
      'media-port': apartPorts.media,
      'rtmp-port': apartPorts.rtmp,
      'metrics-host': at,
      'trust-proxy': proxy ? `${apart.own},${proxy}` : apart.own,
      'metrics-port': apartPorts.metrics,
      'public-api': proxy ? `http://${proxy}` : `http://${at}:${apartPorts.api}`,
      'public-url': proxy ? `http://${proxy}` : `http://${at}:${apartPorts.media}`,
      ...(proxy && {
        'node-media': `http://${proxy}/${host}`,
        'public-link': `ws://${proxy}/link`,
        'public-rtmp': `rtmp://${proxy}:${apartPorts.rtmp}`,
      }),
    }
    return [
      ...(choice.clockOf === host ? withClock(folder) : []),
      process.execPath,
      service,
      ...Object.entries(given).flatMap(([name, value]) => [`--${name}`, `${value}`]),
      ...(choice.clockOf ? ['--plain-sign-in'] : []),
    ]
  }
  const commandOf = (host: ApartHost): readonly string[] => {
    const at = addressOf(host)
    switch (host) {
      case 'db': {
        const settings = [...serverSettings({ port: apartPorts.postgres, sockets: '' }), '-h', at, ...settingsOfNodes]
        return asPostgres('postgres', '-D', path.join(folder, 'db', 'data'), ...settings)
      }
      case 'redis':
        return [redisProgram, '--port', `${apartPorts.redis}`, '--bind', at, '--protected-mode', 'no', '--save', '']
      case 'store':
        return swift.at(-1)!
      case 'proxy':
        return [haproxyProgram, '-db', '-f', proxyFile]
      default:
        return nodeAt(host)
    }
  }
  return {
    env,
    /** Of the program by which a computer is used. */
    commandOf,
    /** Commands of what runs behind the store's own. */
    behindStore: swift.slice(0, -1),
  }
}
