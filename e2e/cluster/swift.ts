import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './redis.ts'

const run = promisify(execFile)
const memcached = '/usr/bin/memcached'
const servers = ['account', 'container', 'object', 'proxy'] as const
const programOf = (server: (typeof servers)[number]): string => `/usr/bin/swift-${server}-server`
const needed: Readonly<Record<string, string>> = {
  ...Object.fromEntries(servers.map((server) => [`swift-${server}`, programOf(server)])),
  memcached,
}
/** The account and its user, as S3 names them. */
export const swiftAccessKey = 'side:stage'

/** Debian's packages of OpenStack Swift that are not installed. */
export const missingSwiftPackages = (): string[] => Object.keys(needed).filter((name) => !existsSync(needed[name]!))
/** Whether they all are. */
export const isSwiftThere = (): boolean => missingSwiftPackages().length === 0

/** Ports of a Swift, by what listens there. */
export type SwiftPorts = Readonly<Record<(typeof servers)[number] | 'cache', number>>

/** A program of a Swift. */
export interface SwiftProgram {
  readonly name: string
  readonly command: readonly string[]
  readonly port: number
}

/** An OpenStack Swift of its own, which speaks S3. */
export interface Swift {
  readonly endpoint: string
  readonly accessKey: string
  readonly secretKey: string
  /** All of it in one text, for the environment. */
  readonly url: string
  close(): Promise<void>
}

/** The layers of the proxy, without what needs no word of its own. */
const layers = 'catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo'
const filtersOf = (secret: string): Readonly<Record<string, readonly string[]>> => ({
  catch_errors: ['catch_errors'],
  gatekeeper: ['gatekeeper'],
  healthcheck: ['healthcheck'],
  listing_formats: ['listing_formats'],
  bulk: ['bulk'],
  copy: ['copy'],
  slo: ['slo'],
  dlo: ['dlo'],
  tempauth: ['tempauth', `user_side_stage = ${secret} .admin`],
  s3api: ['s3api', 's3_acl = no', 'check_bucket_owner = no', 'location = us-east-1', 'min_segment_size = 5242880'],
})

const rings = `
import sys
from swift.common.ring.builder import RingBuilder
folder, *ports = sys.argv[1:]
for name, port in zip(('account', 'container', 'object'), ports):
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'disk', 'weight': 1})
    builder.rebalance(seed='1')
    builder.get_ring().save(folder + '/' + name + '.ring.gz')
`

/** Whether the proxy of a Swift works. */
export const isSwiftAnswering = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthcheck`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Makes the configuration of a Swift in a folder, where its data is too; returns its programs, the proxy last, which
 * listens at `host`.
 */
export async function writeSwift(
  folder: string,
  ports: SwiftPorts,
  secret: string,
  host = '127.0.0.1',
): Promise<SwiftProgram[]> {
  const node = join(folder, 'node')
  mkdirSync(join(node, 'disk'), { recursive: true })
  const user = userInfo().username
  const shared = [`swift_dir = ${folder}`, 'workers = 0', `user = ${user}`, 'log_address = /dev/null']
  const keeping = (server: string, port: number): string[] => [
    '[DEFAULT]',
    ...shared,
    'bind_ip = 127.0.0.1',
    `bind_port = ${port}`,
    `devices = ${node}`,
    'mount_check = false',
    'disable_fallocate = true',
    `recon_cache_path = ${folder}`,
    '[pipeline:main]',
    `pipeline = ${server}-server`,
    `[app:${server}-server]`,
    `use = egg:swift#${server}`,
  ]
  const configuration: Readonly<Record<string, readonly string[]>> = {
    swift: [
      '[swift-hash]',
      'swift_hash_path_suffix = sidestage',
      'swift_hash_path_prefix = test',
      '[storage-policy:0]',
      'name = one',
      'default = yes',
    ],
    account: keeping('account', ports.account),
    container: keeping('container', ports.container),
    object: keeping('object', ports.object),
    proxy: [
      '[DEFAULT]',
      ...shared,
      `bind_ip = ${host}`,
      `bind_port = ${ports.proxy}`,
      '[pipeline:main]',
      `pipeline = ${layers} proxy-server`,
      '[app:proxy-server]',
      'use = egg:swift#proxy',
      'allow_account_management = true',
      'account_autocreate = true',
      '[filter:cache]',
      'use = egg:swift#memcache',
      `memcache_servers = 127.0.0.1:${ports.cache}`,
      ...Object.entries(filtersOf(secret)).flatMap(([name, [egg, ...more]]) => [
        `[filter:${name}]`,
        `use = egg:swift#${egg}`,
        ...more,
      ]),
    ],
  }
  for (const [name, lines] of Object.entries(configuration))
    writeFileSync(join(folder, `${name}.conf`), `${lines.join('\n')}\n`, { mode: 0o600 })
  await run('/usr/bin/python3', ['-c', rings, folder, ...[ports.account, ports.container, ports.object].map(String)])
  const cache = ['-l', '127.0.0.1', '-p', String(ports.cache), '-m', '16', '-u', user]
  return [
    { name: 'memcached', command: [memcached, ...cache], port: ports.cache },
    ...servers.map((server) => ({
      name: `swift-${server}`,
      command: [programOf(server), join(folder, `${server}.conf`)],
      port: ports[server],
    })),
  ]
}

/** Starts it on free ports, with its files in a temporary folder. It needs a few seconds. */
export async function startSwift(): Promise<Swift> {
  if (!isSwiftThere()) throw new Error(`Swift is missing: sudo apt-get install ${missingSwiftPackages().join(' ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-swift-'))
  const [account, container, object, proxy, cache] = await Promise.all([0, 0, 0, 0, 0].map(() => freePort()))
  const ports = { account: account!, container: container!, object: object!, proxy: proxy!, cache: cache! }
  const [accessKey, secretKey] = [swiftAccessKey, 'secretkey']
  const running: ChildProcess[] = []
  const close = async (): Promise<void> => {
    await Promise.all(
      running.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }),
    )
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const { command } of await writeSwift(folder, ports, secretKey))
      running.push(spawn(command[0]!, command.slice(1), { stdio: 'ignore' }))
    for (const until = performance.now() + 60_000; !(await isSwiftAnswering(ports.proxy));) {
      if (performance.now() > until || running.some(({ exitCode }) => exitCode !== null))
        throw new Error('Swift does not start')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const url = `http://${encodeURIComponent(accessKey)}:${secretKey}@127.0.0.1:${ports.proxy}`
    return { endpoint: `http://127.0.0.1:${ports.proxy}`, accessKey, secretKey, url, close }
  } catch (error) {
    await close()
    throw error
  }
}
