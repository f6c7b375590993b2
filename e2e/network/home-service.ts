import { randomBytes, randomUUID, createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'playwright/test'
import type { AnswerOf } from '../../contract/field.ts'
import type { Answer, Arguments, Operation } from '../../contract/operation.ts'
import { live, local } from '../../contract/operations/index.ts'
import type { reachFacts, visitFacts } from '../../contract/operations/reach.ts'
import { signedHeaders } from '../../contract/signing.ts'
import type { ServiceReady } from '../../contract/service-process.ts'
import type { HostName, Network } from './hosts.ts'

/** State of the reach as operations answer it. */
export type ReachFacts = AnswerOf<typeof reachFacts>
/** A visit as operations answer it. */
export type VisitFacts = AnswerOf<typeof visitFacts>

/** A stand-alone service in a host, with a channel. */
export interface HomeService {
  readonly ready: ServiceReady
  readonly cid: string
  readonly roomid: number
  readonly pushUrl: string
  readonly log: () => string
  /** Calls an operation from its own host. */
  call<O extends Operation>(operation: O, body: Arguments<O>): { code: number; msg?: string } & Answer<O>
  /** The same for a form operation of the messaging documents. */
  form(path: string, fields: Readonly<Record<string, string>>): { code: number } & Readonly<Record<string, unknown>>
  /** Ends the service as a system does that shuts down, and waits for it. */
  stop(): Promise<void>
  close(): void
}

const root = join(import.meta.dirname, '../..')
/** Sends one request and writes the body of its answer; runs in a host. */
const sender = `const { url, headers, body } = JSON.parse(process.env.REQUEST);
fetch(url, { method: 'POST', headers, body }).then((answer) => answer.text()).then((text) => process.stdout.write(text))`

/** Starts the service in a host of the network and makes a channel with a room, whose host is `ana`. */
export async function startHomeService(
  network: Network,
  { host = 'home', args = [] }: { readonly host?: HostName; readonly args?: readonly string[] } = {},
): Promise<HomeService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-home-'))
  const credentials = { appKey: 'home', appSecret: randomBytes(16).toString('hex') }
  const child = network.start(host, [process.execPath, join(root, 'service/main.ts'), '--data', dataDir, ...args], {
    env: { PATH: process.env.PATH, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  })
  let log = ''
  child.stderr?.on('data', (part: Buffer) => (log += part.toString()))
  const ready = await new Promise<ServiceReady>((resolve, reject) => {
    let said = ''
    child.stdout?.on('data', (part: Buffer) => {
      said += part.toString()
      if (said.includes('\n')) resolve(JSON.parse(said.split('\n', 1)[0]!) as ServiceReady)
    })
    child.once('close', () => reject(new Error(`the service ended: ${log}`)))
  })
  const send = (path: string, type: string, body: string): string => {
    const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')
    const headers = {
      'content-type': `${type};charset=utf-8`,
      ...signedHeaders(sha1, credentials, randomUUID(), Math.floor(Date.now() / 1000)),
    }
    const url = `http://127.0.0.1:${new URL(ready.baseUrl).port}${path}`
    const request = JSON.stringify({ url, headers, body })
    return network.run(host, ['env', `REQUEST=${request}`, process.execPath, '-e', sender])
  }
  const call: HomeService['call'] = ({ path }, body) =>
    JSON.parse(send(path, 'application/json', JSON.stringify(body))) as never
  const form: HomeService['form'] = (path, fields) => {
    const { pathname } = new URL(ready.imBaseUrl + path)
    return JSON.parse(
      send(pathname, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString()),
    ) as never
  }
  const { ret } = call(live.create, { name: 'home', type: 0 })
  form('/user/create.action', { accid: 'ana', name: 'ana' })
  const { chatroom } = form('/chatroom/create.action', { creator: 'ana', name: 'the room' })
  const { roomid } = chatroom as { roomid: number }
  call(local.linkRoom, { cid: ret.cid, roomid })
  return {
    ready,
    cid: ret.cid,
    roomid,
    pushUrl: ret.pushUrl,
    log: () => log,
    call,
    form,
    stop() {
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
      child.kill('SIGTERM')
      return ended
    },
    close() {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Pushes a picture with a tone from the host of a service; resolves when the channel is on air. */
export async function startHomeEncoder(network: Network, { cid, pushUrl }: HomeService): Promise<void> {
  const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25', '-f', 'lavfi', '-i', 'sine']
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  const target = pushUrl.replace(/\/\/[^/:]+/, '//127.0.0.1')
  network.start('home', ['ffmpeg', '-v', 'error', ...picture, ...codecs, '-f', 'flv', target]).stdin?.end()
  const state = ['curl', '-s', '--max-time', '5', `http://127.0.0.1:8711/watch/${cid}/state`]
  await expect.poll(() => network.run('home', state), { timeout: 60_000 }).toContain('"live":true')
}
