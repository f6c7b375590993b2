import { spawn, type ChildProcess } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accounts, local, teams } from '../contract/operations/index.ts'
import { signedHeaders } from '../contract/signing.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'
import { jsonLines, median, pause, printTable, processFigures, stopChild, temporaryFolder } from './measurement.ts'

/**
 * The client link with many connected accounts in one team and 20 messages a second, each stored, acknowledged and copied, against a bare
 * broadcast of the same bytes with the `ws` library: deliveries per CPU second of the server, delay, memory per connection. Medians of
 * alternating runs, each with fresh processes. `node bench/link.ts [--clients 1000] [--seconds 15] [--runs 3] [--copies off]`
 */
const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '15' },
    runs: { type: 'string', default: '3' },
    copies: { type: 'string', default: 'on' },
  },
})
const clients = Number(values.clients)
const withCopies = values.copies !== 'off'
/** What must be reached: ratio to the bare broadcast, and delay in ms. */
const wanted = { ratio: 0.9, p99: 50 }
const root = join(import.meta.dirname, '..')
const credentials = { appKey: 'bench', appSecret: 'bench-secret' }

interface Server {
  readonly child: ChildProcess
  readonly url: string
  readonly team: string
  /** Copies that were received. */
  copies(): number
  stop(): Promise<void>
}
interface Figures {
  readonly perCpu: number
  readonly p50: number
  readonly p99: number
  readonly kbEach: number
}

async function call(
  baseUrl: string,
  path: string,
  members: Record<string, unknown>,
  isForm = true,
): Promise<Record<string, unknown>> {
  const texts = Object.entries(members).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const type = isForm ? 'application/x-www-form-urlencoded;charset=utf-8' : 'application/json;charset=utf-8'
  const headers = signedHeaders(
    (text) => hash('sha1', text, 'hex'),
    credentials,
    randomUUID(),
    Math.floor(Date.now() / 1000),
  )
  const response = await fetch(baseUrl + (isForm ? '/nimserver' : '') + path, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: isForm ? new URLSearchParams(texts) : JSON.stringify(members),
  })
  const answer = (await response.json()) as Record<string, unknown>
  if (answer['code'] !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer
}

async function startOurs(): Promise<Server> {
  let copies = 0
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      copies++
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as { port: number }
  const folder = temporaryFolder()
  await ensureBuilt(root, ['main'], () => undefined)
  const listeners = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  const args = [
    '--max-semi-space-size=2',
    'out/main/service-alone.js',
    '--data',
    folder.path,
    ...listeners,
    ...(withCopies ? ['--copy-url', `http://127.0.0.1:${port}/`] : []),
  ]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  })
  for await (const line of jsonLines(child)) {
    if (line['event'] !== 'ready') continue
    const baseUrl = String(line['baseUrl'])
    await call(baseUrl, local.updateSettings.path, { teamSize: Math.min(5000, clients + 1) }, false)
    const names = Array.from({ length: clients }, (_, index) => `u${index}`)
    for (const [index, accid] of names.entries())
      await call(baseUrl, accounts.create.path, { accid, token: 'bench', name: `user ${index}` })
    const { tid } = await call(baseUrl, teams.create.path, {
      tname: 'bench',
      owner: 'u0',
      members: names.slice(1, 200),
    })
    const team = String(tid)
    for (let from = 200; from < clients; from += 200)
      await call(baseUrl, teams.add.path, { tid: team, owner: 'u0', members: names.slice(from, from + 200) })
    // What the preparation left in the memory is collected before it counts.
    await pause(2000)
    return {
      child,
      url: String(line['linkUrl']),
      team,
      copies: () => copies,
      async stop() {
        await stopChild(child)
        receiver.close()
        folder.remove()
      },
    }
  }
  throw new Error('our service did not start')
}

async function startBare(): Promise<Server> {
  const child = spawn(process.execPath, ['--max-semi-space-size=2', join(import.meta.dirname, 'link-bare.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of jsonLines(child))
    if (line['event'] === 'ready')
      return {
        child,
        url: String(line['url']),
        team: '1234567890123456',
        copies: () => 0,
        stop: () => stopChild(child),
      }
  throw new Error('the bare broadcast did not start')
}

async function measure(kind: 'ours' | 'bare'): Promise<Figures> {
  const server = await (kind === 'ours' ? startOurs() : startBare())
  const pid = server.child.pid!
  const empty = processFigures(pid).memory
  const script = [
    join(import.meta.dirname, 'link-clients.ts'),
    kind,
    server.url,
    values.clients,
    values.seconds,
    credentials.appKey,
    server.team,
  ]
  const load = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] })
  let [connected, cpu, copiesBefore] = [0, 0, 0]
  try {
    for await (const line of jsonLines(load)) {
      if (line['event'] === 'connected') connected = processFigures(pid).memory
      if (line['event'] === 'measuring') [cpu, copiesBefore] = [processFigures(pid).cpu, server.copies()]
      if (line['event'] !== 'done') continue
      const { pushes, sent, acknowledged, p50, p99 } = line as Record<
        'pushes' | 'sent' | 'acknowledged' | 'p50' | 'p99',
        number
      >
      if (kind === 'ours' && acknowledged < sent * 0.95)
        throw new Error(`of ${sent} messages ${acknowledged} were acknowledged`)
      const copied = (): number => server.copies() - copiesBefore
      // Copies may lag behind, and are part of the work.
      for (let waited = 0; kind === 'ours' && withCopies && copied() < sent; waited++) {
        if (waited === 200) throw new Error(`of ${sent} messages ${copied()} were copied`)
        await pause(50)
      }
      const used = processFigures(pid).cpu - cpu
      // Of every message the nine other senders are given it too.
      const deliveries = (pushes / (clients - 10)) * (clients - 1)
      console.error(
        `${kind}: ${Math.round(deliveries)} deliveries of ${sent} messages, ${used.toFixed(2)} s of CPU, ${acknowledged} acknowledged, ${copied()} copied`,
      )
      return { perCpu: deliveries / used, p50, p99, kbEach: ((connected - empty) * 1000) / clients }
    }
    throw new Error('the clients ended without a result')
  } finally {
    await stopChild(load, 'SIGKILL')
    await server.stop()
  }
}

const taken: Record<'ours' | 'bare', Figures[]> = { ours: [], bare: [] }
for (let run = 0; run < Number(values.runs); run++)
  for (const kind of ['bare', 'ours'] as const) taken[kind].push(await measure(kind))
const middle = (kind: 'ours' | 'bare', of: (figures: Figures) => number): number => median(taken[kind].map(of))
printTable(
  (['bare', 'ours'] as const).map((kind) => ({
    server: kind,
    'deliveries per CPU s': Math.round(middle(kind, ({ perCpu }) => perCpu)),
    'p50 ms': middle(kind, ({ p50 }) => p50).toFixed(1),
    'p99 ms': middle(kind, ({ p99 }) => p99).toFixed(1),
    'kB per connection': middle(kind, ({ kbEach }) => kbEach).toFixed(1),
  })),
)
const ratio = middle('ours', ({ perCpu }) => perCpu) / middle('bare', ({ perCpu }) => perCpu)
const p99 = middle('ours', (figures) => figures.p99)
console.log(
  `\nours / bare = ${ratio.toFixed(2)} (reach ${wanted.ratio}), p99 ${p99.toFixed(1)} ms (below ${wanted.p99})`,
)
console.log(
  JSON.stringify({
    bench: 'link',
    clients,
    ratio,
    p99,
    reached: ratio >= wanted.ratio && p99 < wanted.p99,
    runs: taken,
  }),
)
