import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hash } from 'node:crypto'
import http from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { live } from '../contract/operations/index.ts'
import { signedHeaders } from '../contract/signing.ts'
import { RtmpTestClient } from '../service/ingest/testing/rtmp-test-client.ts'
import { aacHeader, avcHeader, interFrame, keyFrame, sound } from '../service/ingest/testing/rtmp-test-server.ts'
import { median, percentile, temporaryFolder } from './measurement.ts'

/**
 * Time of a scrape of `/metrics` on a kept connection, from the request to the last byte, with that many channels, each
 * with a push of 25 small frames a second; beside it the time of `/healthz` in the same seconds, which does nothing and
 * waits as long for its turn. Ends with 1 when the median of a scrape is longer than that by more than wanted.
 * `node bench/scrape.ts [--channels 100] [--scrapes 200]`
 */
const { values } = parseArgs({
  options: { channels: { type: 'string', default: '100' }, scrapes: { type: 'string', default: '200' } },
})
const [channels, scrapes] = [Number(values.channels), Number(values.scrapes)]
/** The most that a scrape may take, in ms. */
const wanted = 5
/** Scrapes before those that count, while the code is compiled. */
const warmUp = 50

const credentials = { appKey: 'bench-key', appSecret: 'bench-secret' }
const folder = temporaryFolder()
const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0', '--metrics-port', '0']
const main = join(import.meta.dirname, '../service/main.ts')
const service = spawn(process.execPath, [main, '--data', folder.path, ...ports], {
  stdio: ['ignore', 'pipe', 'ignore'],
  env: { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
})
const [line] = (await once(createInterface(service.stdout), 'line')) as [string]
const { baseUrl, metricsUrl } = JSON.parse(line) as { readonly baseUrl: string; readonly metricsUrl: string }

const encoders: RtmpTestClient[] = []
for (let index = 0; index < channels; index++) {
  const signed = signedHeaders(
    (text) => hash('sha1', text, 'hex'),
    credentials,
    `bench-${index}`,
    Math.floor(Date.now() / 1000),
  )
  const answer = await fetch(baseUrl + live.create.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body: JSON.stringify({ name: `c${index}` }),
  })
  const { ret } = (await answer.json()) as { readonly ret: { readonly pushUrl: string } }
  const url = new URL(ret.pushUrl)
  const encoder = await RtmpTestClient.open(Number(url.port))
  await encoder.connect('live')
  const status = await encoder.ask('publish', url.pathname.split('/')[2] + url.search)
  if (status !== 'NetStream.Publish.Start') throw new Error(status)
  encoder.send(9, 0, avcHeader)
  encoder.send(8, 0, aacHeader, 4)
  encoders.push(encoder)
}
let frame = 0
const pushing = setInterval(() => {
  const body = frame % 50 === 0 ? keyFrame(400) : interFrame(200)
  for (const encoder of encoders) {
    encoder.send(9, frame * 40, body)
    encoder.send(8, frame * 40, sound(), 4)
  }
  frame += 1
}, 40)

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
const get = (path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    http
      .get(metricsUrl + path, { agent }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve(text))
      })
      .on('error', reject)
  })
/** Between requests, so that pushes are served; in ms. */
const pause = 20
const timed = async (path: string): Promise<{ readonly text: string; readonly took: number }> => {
  const begun = performance.now()
  const text = await get(path)
  const took = performance.now() - begun
  await new Promise((resolve) => setTimeout(resolve, pause))
  return { text, took }
}
for (let index = 0; index < warmUp; index++) await get('/metrics')
let text = ''
const times: number[] = []
const empty: number[] = []
for (let index = 0; index < scrapes; index++) {
  empty.push((await timed('/healthz')).took)
  const scrape = await timed('/metrics')
  times.push(scrape.took)
  text = scrape.text
}
clearInterval(pushing)
for (const encoder of encoders) encoder.close()
agent.destroy()
service.kill('SIGTERM')
await once(service, 'exit')
folder.remove()
const value = (name: string): number => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
const own = median(times) - median(empty)
const round = (ms: number): number => Math.round(ms * 100) / 100
console.log(
  JSON.stringify({
    bench: 'scrape',
    channels,
    publishers: value('sidestage_publishers'),
    bytes: text.length,
    median: round(median(times)),
    p99: round(percentile(times, 0.99)),
    empty: round(median(empty)),
    own: round(own),
    wanted,
  }),
)
process.exitCode = own <= wanted && value('sidestage_publishers') === channels ? 0 : 1
