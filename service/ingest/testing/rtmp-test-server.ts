import type { HandshakeRate } from '../../../platform/handshake-rate.ts'
import { systemClock, type Clock } from '../../../platform/clock.ts'
import { randomBytes } from 'node:crypto'
import { createHub, type Hub } from '../../hub/hub.ts'
import type { HubEvent } from '../../hub/hub-events.ts'
import { RtmpTestClient } from './rtmp-test-client.ts'
import type { RtmpLimits } from '../rtmp-limits.ts'
import { createRtmpServer, type RtmpServer } from '../rtmp-server.ts'
import type { PublishGate, RtmpDoors } from '../rtmp-session-host.ts'
import type { RtmpDescriptors } from '../../listener-bounds.ts'
import type { ReaderQueueLimits } from '../../hub/reader-queue-output.ts'

/** A channel that the test gate admits with the secret `right`. */
export const testCid = 'c0ffee00'.repeat(4)
/** Key of its address. */
export const testKey = 'wsSecret=right&wsTime=4102444800'
/** Sequence header of H.264 High 3.1, 1280x720. */
export const avcHeader = Buffer.from(
  '17000000000164001fffe1001a6764001facd9405005bb0110000003001000000303c0f183196001000468ef8fcbfdf8f800',
  'hex',
)
/** Sequence header of AAC-LC, 48 kHz stereo. */
export const aacHeader = Buffer.from('af001190', 'hex')
/** A video tag with a key frame. */
export const keyFrame = (size = 100): Buffer =>
  Buffer.concat([Buffer.from([0x17, 1, 0, 0, 0]), Buffer.alloc(size, 0x65)])
/** A video tag with an inter frame. */
export const interFrame = (size = 100): Buffer =>
  Buffer.concat([Buffer.from([0x27, 1, 0, 0, 0]), Buffer.alloc(size, 0x41)])
/** An audio tag. */
export const sound = (): Buffer => Buffer.from([0xaf, 1, 1, 2, 3])

/** A hub and an RTMP server on a free port, with a gate that knows `testCid`. */
export interface TestServer {
  readonly hub: Hub
  readonly server: RtmpServer
  readonly port: number
  readonly events: HubEvent[]
  readonly logged: string[]
  readonly released: { cid: string; lastPacketAt: number }[]
  /** Why connections or roles were refused. */
  readonly refusals: string[]
  readonly gate: { admit: PublishGate['admit']; mayPlay: PublishGate['mayPlay'] }
  /** Offset of the clock, in ms. */
  ahead: number
  /** A client on air. */
  publisher(): Promise<RtmpTestClient>
  client(silent?: boolean, from?: string): Promise<RtmpTestClient>
  close(): Promise<void>
}

/** Starts one; `cids` are further channels. */
export async function startTestServer({
  limits,
  queueLimits,
  descriptors,
  shared,
  handshakes,
  cids = [],
  clock: given,
  doors,
}: {
  limits?: Partial<RtmpLimits>
  descriptors?: RtmpDescriptors
  shared?: (address: string) => boolean
  handshakes?: HandshakeRate
  queueLimits?: Partial<ReaderQueueLimits>
  cids?: readonly string[]
  doors?: RtmpDoors
  /** For the server; by default the clock of the hub. */
  clock?: Clock
} = {}): Promise<TestServer> {
  const logged: string[] = []
  const line = (details: object, message: string): void =>
    void logged.push(
      `${message} ${JSON.stringify(details, (_, value: unknown) => (value instanceof Error ? value.stack : value))}`,
    )
  const log = { debug: line, info: line, warn: line }
  const events: HubEvent[] = []
  const released: TestServer['released'] = []
  const refusals: string[] = []
  const clients: RtmpTestClient[] = []
  const known = new Set([testCid, ...cids])
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const clock: Clock = { ...systemClock, now, monotonic: now }
  const hub = createHub({ clock, log, silenceCheck: 20 })
  hub.on((event) => events.push(event))
  const gate: TestServer['gate'] = {
    admit: (cid, key) =>
      !known.has(cid)
        ? { ok: false, remedy: 'unknown', reason: 'no such channel' }
        : key.wsSecret !== 'right'
          ? { ok: false, remedy: 'key', reason: 'wrong key' }
          : Number(key.wsTime) * 1000 < now()
            ? { ok: false, remedy: 'expired', reason: 'the key has expired' }
            : { ok: true },
    mayPlay: (cid) => known.has(cid),
  }
  const server = createRtmpServer({
    hub,
    clock: given ?? clock,
    log,
    random: randomBytes,
    refused: (why) => void refusals.push(why),
    gate: {
      admit: (cid, key) => gate.admit(cid, key),
      mayPlay: (cid) => gate.mayPlay(cid),
      released: (cid, _, lastPacketAt) => void released.push({ cid, lastPacketAt }),
    },
    ...(limits && { limits }),
    ...(doors && { doors }),
    ...(queueLimits && { queueLimits }),
    ...(descriptors && { descriptors }),
    shared,
    handshakes,
  })
  const port = await server.listen('127.0.0.1', 0)
  const started: TestServer = {
    hub,
    server,
    port,
    events,
    logged,
    released,
    refusals,
    gate,
    get ahead() {
      return ahead
    },
    set ahead(value) {
      ahead = value
    },
    async client(silent, from) {
      const client = await RtmpTestClient.open(port, silent, from)
      clients.push(client)
      return client
    },
    async publisher() {
      const client = await started.client()
      await client.connect()
      const code = await client.ask('publish', `${testCid}?${testKey}`)
      if (code !== 'NetStream.Publish.Start') throw new Error(code)
      return client
    },
    async close() {
      for (const client of clients) client.close()
      await server.close()
      hub.close()
    },
  }
  return started
}
