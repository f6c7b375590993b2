import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { live } from '../../../contract/operations/index.ts'
import { aacHeader, avcHeader, interFrame, keyFrame, sound } from '../../ingest/testing/rtmp-test-server.ts'
import { RtmpTestClient } from '../../ingest/testing/rtmp-test-client.ts'
import { rtmpType } from '../../media/rtmp-message.ts'
import type { ServiceOptions } from '../../service.ts'
import { testDatabase } from '../../storage/testing/open-store.ts'
import { redisUrl } from '../../testing/engines.ts'
import { startServiceProcess, type ServiceProcess } from '../../testing/service-process.ts'
import { startService, testCredentials, type TestService } from '../../testing/start-service.ts'

/** Media is sent so often, in ms. */
const frameEvery = 40

/** An encoder that sends one picture and one sound each 40 ms, with a key frame each second. */
export interface Encoder {
  readonly client: RtmpTestClient
  /** Sends nothing more, and stays connected. */
  silence(): void
  close(): void
}

/** Asks a node to take a push; answers the code of the status, and an encoder where it was taken. */
export async function push(port: number, pushUrl: string): Promise<{ code: string; encoder: Encoder }> {
  const client = await RtmpTestClient.open(port)
  await client.connect()
  const code = await client.ask('publish', pushUrl.slice(pushUrl.lastIndexOf('/') + 1))
  let at = 0
  const media = (): void => {
    if (at === 0) {
      client.send(rtmpType.video, 0, avcHeader)
      client.send(rtmpType.audio, 0, aacHeader, 4)
    }
    client.send(rtmpType.video, at, at % 1000 === 0 ? keyFrame() : interFrame())
    client.send(rtmpType.audio, at, sound(), 4)
    at += frameEvery
  }
  const timer = code === 'NetStream.Publish.Start' ? setInterval(media, frameEvery) : undefined
  client.socket.once('close', () => clearInterval(timer))
  return {
    code,
    encoder: {
      client,
      silence: () => clearInterval(timer),
      close() {
        clearInterval(timer)
        client.close()
      },
    },
  }
}

/** Services that share a PostgreSQL and a Redis. */
export interface Nodes {
  readonly prefix: string
  /** With a clock, all go by it and not by the database. */
  start(node: string, options?: Partial<ServiceOptions>, media?: string): Promise<TestService>
  /** One more as a process of its own. */
  process(node: string): ServiceProcess
  /** A channel that all know. */
  channel(name: string): Promise<{ readonly cid: string; readonly pushUrl: string }>
  status(service: TestService, cid: string): Promise<number | undefined>
  /** Closes all that were started. */
  close(): Promise<void>
}

/** Makes the place where they meet; those that are processes need a Redis of their own. */
export async function nodesOf(url = redisUrl!): Promise<Nodes> {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-nodes-'))
  const database = (await testDatabase(folder))!
  // Of a process it is the schema.
  const prefix = url === redisUrl ? `n${randomUUID().replaceAll('-', '')}` : database.schema
  const started: TestService[] = []
  const processes: ServiceProcess[] = []
  const status = async (service: TestService, cid: string): Promise<number | undefined> =>
    (await service.call(live.state, { cid })).ret?.status
  return {
    prefix,
    async start(node, options = {}, media) {
      const { clock } = options
      const service = await startService({
        ...options,
        database,
        cluster: {
          redis: { url, prefix },
          node,
          ...(media !== undefined && { media }),
          ...(clock && { time: () => Promise.resolve(clock.now()) }),
        },
      })
      started.push(service)
      return service
    },
    process(node) {
      const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
      const made = startServiceProcess(['--data', join(folder, node), ...ports, '--node', node], {
        SIDESTAGE_APP_KEY: testCredentials.appKey,
        SIDESTAGE_APP_SECRET: testCredentials.appSecret,
        SIDESTAGE_DATABASE_URL: database.url,
        SIDESTAGE_SCHEMA: database.schema,
        SIDESTAGE_REDIS_URL: url,
      })
      processes.push(made)
      return made
    },
    async channel(name) {
      const { cid, pushUrl } = (await started[0]!.call(live.create, { name })).ret!
      for (const service of started)
        while ((await status(service, cid)) === undefined) await new Promise((resolve) => setImmediate(resolve))
      return { cid, pushUrl }
    },
    status,
    async close() {
      for (const { child } of processes) child.kill('SIGKILL')
      await Promise.all([...started.map((service) => service.close()), ...processes.map(({ exited }) => exited)])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
