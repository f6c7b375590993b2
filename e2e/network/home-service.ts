import { randomBytes, randomUUID, createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnswerOf } from '../../contract/field.ts'
import type { Answer, Arguments, Operation } from '../../contract/operation.ts'
import { live } from '../../contract/operations/index.ts'
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
  readonly pushUrl: string
  readonly log: () => string
  /** Calls an operation from its own host. */
  call<O extends Operation>(operation: O, body: Arguments<O>): { code: number; msg?: string } & Answer<O>
  close(): void
}

const root = join(import.meta.dirname, '../..')
/** Sends one request and writes the body of its answer; runs in a host. */
const sender = `const { url, headers, body } = JSON.parse(process.env.REQUEST);
fetch(url, { method: 'POST', headers, body }).then((answer) => answer.text()).then((text) => process.stdout.write(text))`

/** Starts the service in a host of the network and makes a channel. */
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
  const call: HomeService['call'] = ({ path }, body) => {
    const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')
    const headers = {
      'content-type': 'application/json;charset=utf-8',
      ...signedHeaders(sha1, credentials, randomUUID(), Math.floor(Date.now() / 1000)),
    }
    const url = `http://127.0.0.1:${new URL(ready.baseUrl).port}${path}`
    const request = JSON.stringify({ url, headers, body: JSON.stringify(body) })
    const text = network.run(host, ['env', `REQUEST=${request}`, process.execPath, '-e', sender])
    return JSON.parse(text) as never
  }
  const { ret } = call(live.create, { name: 'home', type: 0 })
  return {
    ready,
    cid: ret.cid,
    pushUrl: ret.pushUrl,
    log: () => log,
    call,
    close() {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
