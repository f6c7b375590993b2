import { spawn, type ChildProcess } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { processFigures } from './measurement.ts'
import { accounts, live, messages } from '../contract/operations/index.ts'
import { signedHeaders } from '../contract/signing.ts'

/**
 * Answers a second of signed channelstats and create against a bare fastify route that parses the same JSON and does one insert, and of
 * sendMsg with storage and history, each server in a process of its own, medians of alternating runs.
 * `node bench/api.ts [--seconds 5] [--runs 5] [--connections 20] [--only sendMsg]`
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    runs: { type: 'string', default: '5' },
    connections: { type: 'string', default: '20' },
    only: { type: 'string' },
  },
})
const [seconds, runs, connections] = [Number(values.seconds), Number(values.runs), Number(values.connections)]
/** The ratio that must be reached. */
const wanted = 0.6
/** Messages a second that must be taken. */
const wantedMessages = 4000

const dir = mkdtempSync(join(tmpdir(), 'sidestage-bench-api-'))
const credentials = { appKey: 'bench-key', appSecret: 'bench-secret' }
const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!

async function start(
  script: string,
  args: readonly string[],
): Promise<{ child: ChildProcess; line: Record<string, string> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { child, line: JSON.parse(line) as Record<string, string> }
}

const bare = await start('api-bare.ts', [join(dir, 'bare.db')])
const ours = await start('../service/main.ts', [
  '--data',
  join(dir, 'ours'),
  '--api-port',
  '0',
  '--media-port',
  '0',
  '--rtmp-port',
  '0',
])
const [bareUrl, ourUrl] = [bare.line['url']!, ours.line['baseUrl']!]
const json = { 'content-type': 'application/json' }
const signed = (): Record<string, string> => ({
  ...json,
  ...signedHeaders((text) => hash('sha1', text, 'hex'), credentials, 'bench-nonce', Math.floor(Date.now() / 1000)),
})

let names = 0
const unique = (path: string, headers: Record<string, string>) => ({
  method: 'POST',
  path,
  headers,
  body: '{"name":"n0"}',
  setupRequest: (request: object) => ({ ...request, body: `{"name":"n${++names}","type":0}` }),
})
const created = (await (
  await fetch(ourUrl + live.create.path, { method: 'POST', headers: signed(), body: '{"name":"first"}' })
).json()) as {
  ret: { cid: string }
}
const same = JSON.stringify({ cid: created.ret.cid })

const form = { 'content-type': 'application/x-www-form-urlencoded;charset=utf-8' }
const im = ourUrl + '/nimserver'
for (const accid of ['ann', 'bob'])
  await (
    await fetch(im + accounts.create.path, {
      method: 'POST',
      headers: { ...signed(), ...form },
      body: `accid=${accid}&name=${accid}`,
    })
  ).json()
let sent = 0
const textMessage = (): string =>
  `from=ann&ope=0&to=bob&type=0&body=${encodeURIComponent(`{"msg":"message number ${++sent} of the bench"}`)}`

const cases = {
  'bare route with one insert': () => ({ url: bareUrl, requests: [unique('/create', json)] }),
  create: () => ({ url: ourUrl, requests: [unique(live.create.path, signed())] }),
  sendMsg: () => ({
    url: ourUrl,
    requests: [
      {
        method: 'POST',
        path: `/nimserver${messages.send.path}`,
        headers: { ...signed(), ...form },
        body: textMessage(),
        setupRequest: (request: object) => ({ ...request, body: textMessage() }),
      },
    ],
  }),
  channelstats: () => ({
    url: ourUrl,
    requests: [
      {
        method: 'POST',
        path: live.state.path,
        headers: signed(),
        body: same,
        setupRequest: (request: object) => ({ ...request, body: same }),
      },
    ],
  }),
}
const order = (Object.keys(cases) as (keyof typeof cases)[]).filter(
  (name) => name.startsWith('bare') || values.only === undefined || name === values.only,
)
const rates = new Map(order.map((name) => [name, [] as number[]]))
const costs = new Map(order.map((name) => [name, [] as number[]]))
const latencies = new Map(order.map((name) => [name, [] as number[]]))
try {
  for (let run = -1; run < runs; run++) {
    for (const name of order) {
      const { child } = name.startsWith('bare') ? bare : ours
      const before = processFigures(child.pid!).cpu
      const result = await autocannon({
        ...cases[name](),
        connections,
        duration: run < 0 ? 2 : seconds,
        verifyBody: (body) => body.startsWith('{"code":200,'),
      })
      if (result.errors || result.non2xx || result.mismatches)
        throw new Error(
          `${name}: ${result.errors} errors, ${result.non2xx + result.mismatches} answers other than success`,
        )
      // The first round only warms up.
      if (run < 0) continue
      rates.get(name)!.push(result.requests.average)
      costs.get(name)!.push(((processFigures(child.pid!).cpu - before) * 1e6) / result.requests.total)
      latencies.get(name)!.push(result.latency.p99)
    }
  }
  const base = median(rates.get('bare route with one insert')!)
  let reached = true
  for (const name of order) {
    const rate = median(rates.get(name)!)
    if (rate < (name === 'sendMsg' ? wantedMessages : base * wanted)) reached = false
    process.stdout.write(
      `${name.padEnd(28)} ${Math.round(rate).toString().padStart(7)} answers/s = ${Math.round((rate / base) * 100)} %   ${Math.round(median(costs.get(name)!))} µs of CPU each   p99 ${median(latencies.get(name)!)} ms   (runs: ${rates.get(name)!.map(Math.round).join(', ')})\n`,
    )
  }
  process.stdout.write(
    `at least ${wanted * 100} % wanted, of sendMsg ${wantedMessages} a second: ${reached ? 'reached' : 'missed'}\n`,
  )
  process.exitCode = reached ? 0 : 1
} finally {
  for (const { child } of [bare, ours]) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  rmSync(dir, { recursive: true, force: true })
}
