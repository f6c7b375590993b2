import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, messages } from '../../contract/operations/index.ts'
import { asPostgres } from '../../e2e/cluster/postgres.ts'
import { freePort, redisProgram } from '../../e2e/cluster/redis.ts'
import { writeSwift } from '../../e2e/cluster/swift.ts'
import { until } from '../../service/testing/condition.ts'
import { signedClient } from '../../service/testing/signed-client.ts'
import { missingPackages } from '../cluster/engines.ts'
import { haproxyFile } from '../cluster/haproxy-config.ts'
import { keepProcess, type KeptProcess, type Program } from '../cluster/kept-process.ts'
import { codeBlocks, readPages, root } from './pages.ts'

/**
 * Builds the cluster of docs/guide/en/many-machines.md as it stands there: each of its computers is an address of this
 * one. The Chinese page has the same code.
 */
const blocks = codeBlocks(readPages('docs/guide/en/many-machines.md')[0]!)
const block = (language: string, part = ''): string =>
  blocks.find((each) => each.language === language && each.code.includes(part))!.code
/** The network of the page, as one that no other run has. */
const network = `127.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}.`
const here = (text: string): string => text.replaceAll('10.0.0.', network)

const isRoot = process.getuid?.() === 0
const canRun = process.platform === 'linux' && missingPackages().length === 0 && existsSync('/usr/bin/curl')
let folder: string
const running: KeptProcess<void>[] = []
const nodes: KeptProcess<void>[] = []
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** A program that can be used once a port takes connections. */
async function keep(name: string, command: readonly string[], at: string, port: number, env = {}) {
  const ready: Program<void>['ready'] = (_child, signal) =>
    until(`${name} at ${at}`, () => {
      signal.throwIfAborted()
      const socket = connect(port, at)
      return once(socket, 'connect').then(
        () => Boolean(socket.destroy()),
        () => false,
      )
    }).then(() => undefined)
  return keepProcess(
    folder,
    {
      name,
      command,
      env: { PATH: process.env['PATH'], ...env },
      ready,
      endBy: name === 'postgres' ? 'SIGINT' : 'SIGTERM',
      patience: 30_000,
    },
    () => undefined,
  )
}

/** Runs a block as it is pasted; `before` are the stand-ins of what is not there. */
const paste = (code: string, before = ''): string =>
  execFileSync('bash', ['-euc', `${before}\n${here(code)}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

async function startDatabase(): Promise<void> {
  const place = path.join(folder, 'postgres')
  mkdirSync(place)
  if (isRoot) execFileSync('chown', ['postgres', place])
  const data = path.join(place, 'data')
  const [initdb, ...given] = asPostgres('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync')
  execFileSync(initdb!, given, { cwd: '/', stdio: 'ignore' })
  appendFileSync(
    path.join(data, 'postgresql.conf'),
    `${here(block('conf'))}unix_socket_directories = '${place}'\nfsync = off\n`,
  )
  // Connections to any of its own addresses come from this one.
  const fromHere = block('hba').replace('10.0.0.0/24', '127.0.0.1/32')
  writeFileSync(path.join(data, 'pg_hba.conf'), `local all postgres trust\n${fromHere}`)
  running.push(await keep('postgres', asPostgres('postgres', '-D', data), `${network}20`, 5432))
  // Connections come before it has begun.
  await until('the database', () => {
    try {
      psql('select 1')
      return true
    } catch {
      return false
    }
  })
  psql(block('sql'))
}
const psql = (text: string): string => {
  const [first, ...rest] = asPostgres(
    'psql',
    '-h',
    path.join(folder, 'postgres'),
    '-U',
    'postgres',
    '-At',
    '-v',
    'ON_ERROR_STOP=1',
  )
  return execFileSync(first!, rest, { cwd: '/', input: text, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })
}

/** The Swift of the page: its configuration for tests, with the sections that stand there. */
async function startObjects(): Promise<void> {
  const place = path.join(folder, 'swift')
  mkdirSync(place)
  const [account, container, object, cache] = await Promise.all([0, 0, 0, 0].map(() => freePort()))
  const ports = { account: account!, container: container!, object: object!, cache: cache!, proxy: 8080 }
  const programs = await writeSwift(place, ports, 'another one', `${network}20`)
  const given = block('ini')
  const file = path.join(place, 'proxy.conf')
  const sections = readFileSync(file, 'utf8').split(/^(?=\[)/m)
  const isOfPage = (section: string): boolean => given.includes(`${section.split('\n')[0]!}\n`)
  expect(sections.filter(isOfPage)).toHaveLength(3)
  writeFileSync(file, `${sections.filter((section) => !isOfPage(section)).join('')}${given}`)
  for (const { name, command, port } of programs)
    running.push(await keep(name, command, name === 'swift-proxy' ? `${network}20` : '127.0.0.1', port))
  paste(block('sh', 'AUTH_side').replaceAll('/tmp/', `${folder}/`))
}

async function startNodes(): Promise<void> {
  const env = Object.fromEntries(lines(here(block('env'))).map((line) => line.split(/=(.*)/s).slice(0, 2)))
  const switches = here(block('env', 'SIDESTAGE_OPTIONS')).trim().slice('SIDESTAGE_OPTIONS='.length)
  for (const number of [1, 2, 3]) {
    const own = switches.replaceAll(`${network}11`, `${network}1${number}`).replace('node-1', `node-${number}`)
    // As the unit of a node has them.
    const ofUnit = ['--node', `node-${number}`, '--data', path.join(folder, `node-${number}`)]
    const command = [process.execPath, path.join(root, 'service/main.ts'), ...ofUnit, ...own.split(' ')]
    nodes.push(await keep(`node-${number}`, command, `${network}1${number}`, 1935, env))
  }
  for (const number of [1, 2, 3]) await until('a node', () => isReady(number))
}
const isReady = (number: number): Promise<boolean> =>
  fetch(`http://${network}1${number}:8712/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
const endNodes = async (): Promise<void> => void (await Promise.all(nodes.splice(0).map((node) => node.end())))

async function startProxy(): Promise<void> {
  const [key, certificate, both] = ['live.key', 'live.crt', 'live.pem'].map((name) => path.join(folder, name))
  const subject = ['-subj', '/CN=live.example.com', '-keyout', key!, '-out', certificate!]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject], {
    stdio: 'ignore',
  })
  writeFileSync(both!, readFileSync(certificate!, 'utf8') + readFileSync(key!, 'utf8'))
  const written = path.join(folder, 'haproxy.cfg')
  const text = here(readFileSync(haproxyFile, 'utf8'))
    .replace('/etc/ssl/live.example.com.pem', both!)
    .replace('bind :80', `bind ${network}10:8080`)
    .replace('bind :443', `bind ${network}10:8443`)
    .replace('bind :1935', `bind ${network}10:1935`)
    // It has an address of its own there.
    .replace('defaults\n', `defaults\n  source ${network}10\n`)
    .replaceAll(/^ {2}(?:user|group) .*\n/gm, isRoot ? '$&' : '')
  paste(
    block('sh', 'haproxy.cfg')
      .replaceAll('/etc/haproxy/haproxy.cfg', written)
      .replace('resources/cluster/haproxy.cfg', `"${path.join(folder, 'given.cfg')}"`),
    [
      `cat > "${path.join(folder, 'given.cfg')}" <<'END'\n${text}\nEND`,
      'apt-get() { :; }; systemctl() { :; }; haproxy() { /usr/sbin/haproxy "$@"; }',
    ].join('\n'),
  )
  running.push(await keep('haproxy', ['/usr/sbin/haproxy', '-db', '-f', written], `${network}10`, 8443))
}

const credentials = { appKey: 'my-app', appSecret: 'choose-a-long-one' }
const atNode = (number: number) => signedClient(`http://${network}1${number}:8710`, credentials)
/** A signed call over TLS, as one to live.example.com. */
async function callProxy(body: object): Promise<{ readonly code: number; readonly ret: Record<string, string> }> {
  const asked = request({
    host: `${network}10`,
    port: 8443,
    path: live.create.path,
    method: 'POST',
    servername: 'live.example.com',
    ca: readFileSync(path.join(folder, 'live.crt')),
    headers: { host: 'live.example.com', 'content-type': 'application/json', ...atNode(1).sign() },
  })
  asked.end(JSON.stringify(body))
  const [answer] = (await once(asked, 'response')) as [AsyncIterable<Buffer>]
  let text = ''
  for await (const part of answer) text += part.toString()
  return JSON.parse(text) as { code: number; ret: Record<string, string> }
}
const names = async (number: number): Promise<string[]> =>
  (await atNode(number).call(live.list, {})).ret!.list.map(({ name }) => name).toSorted()

describe.runIf(canRun)('the cluster of the guide', () => {
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'sidestage-machines-'))
    chmodSync(folder, 0o755)
    await startDatabase()
    const redis = path.join(folder, 'redis.conf')
    writeFileSync(redis, here(block('redis')))
    running.push(await keep('redis', [redisProgram, redis, '--dir', folder], `${network}20`, 6379))
    await startObjects()
    await startNodes()
    await startProxy()
  })
  afterAll(async () => {
    await endNodes()
    for (const each of running.reverse()) await each.end()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers signed calls by the proxy, and each node knows what another one did', async () => {
    expect(paste(block('sh', 'readyz\ncurl'))).toBe('{"ready":true}'.repeat(3))
    const { code, ret } = await callProxy({ name: 'first', type: 0 })
    expect(code).toBe(200)
    expect(ret['httpPullUrl']).toMatch(/^https:\/\/live\.example\.com\//)
    expect(ret['pushUrl']).toMatch(/^rtmp:\/\/live\.example\.com\//)
    for (const number of [1, 2, 3]) await expect.poll(() => names(number)).toEqual(['first'])
  })

  it('has a database with every setting of the page in force', () => {
    expect(psql('show idle_in_transaction_session_timeout')).toBe('1s\n')
    const inForce = lines(psql("select name from pg_settings where source = 'configuration file'"))
    expect(inForce).toEqual(expect.arrayContaining(lines(block('conf')).map((line) => line.split(' ')[0])))
    expect(psql('select name from pg_file_settings where error is not null and not applied')).toBe('')
  })

  it('has uploads in its object store, which every node reads', async () => {
    const content = Buffer.from('a file').toString('base64')
    const { url } = await atNode(1).call(messages.upload, { content, type: 'txt' })
    for (const number of [1, 2, 3]) {
      const answer = await fetch(`http://${network}1${number}:8711${new URL(url!).pathname}`)
      expect(await answer.text()).toBe('a file')
    }
  })

  it('is updated one node after the other, while calls go on', async () => {
    const pid = nodes[0]!.pid()
    const calls = { good: 0, bad: 0 }
    const isDone = new AbortController()
    const calling = (async () => {
      for (let number = 0; !isDone.signal.aborted; number++)
        calls[(await callProxy({ name: `update_${number}`, type: 0 })).code === 200 ? 'good' : 'bad']++
    })()
    // The node is started again by who keeps it, as systemd does.
    const systemctl = `systemctl() { kill -TERM ${pid}; while kill -0 ${pid} 2>&-; do sleep 0.1; done; }`
    const update = block('sh', 'restart sidestage@node-1').replace('sleep 1', 'sleep 0.2')
    const { stdout } = await promisify(execFile)('bash', ['-uc', `${systemctl}\n${here(update)}`])
    expect(stdout).toContain('{"ready":true}')
    isDone.abort()
    await calling
    expect(nodes[0]!.pid()).not.toBe(pid)
    expect(calls.bad).toBe(0)
    expect(calls.good).toBeGreaterThan(10)
  })

  it('is backed up, and put back', async () => {
    const before = await names(2)
    const env = `runuser() { shift 3; PGHOST=${path.join(folder, 'postgres')} PGUSER=postgres "$@"; }`
    const dump = (code: string): string => paste(code.replaceAll('/tmp/', `${folder}/`), env)
    dump(block('sh', 'pg_dump'))
    await callProxy({ name: 'after', type: 0 })
    await endNodes()
    dump(block('sh', 'pg_restore'))
    await startNodes()
    expect(await names(2)).toEqual(before)
  })
})
