import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live, local, messages } from '../contract/operations/index.ts'
import type { ServiceReady } from '../contract/service-process.ts'
import { RtmpTestClient } from './ingest/testing/rtmp-test-client.ts'
import { aacHeader, avcHeader, keyFrame } from './ingest/testing/rtmp-test-server.ts'
import { rtmpType } from './media/rtmp-message.ts'
import { until } from './testing/condition.ts'
import { promised } from './testing/machine-pace.ts'
import { signedClient } from './testing/signed-client.ts'
import { silentFlood } from './testing/silent-flood.ts'

const entry = path.join(import.meta.dirname, 'main.ts')
const credentials = { appKey: 'few', appSecret: 'few-descriptors' }
let dir: string
let stop: () => Promise<unknown>
let ready: ServiceReady
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'sidestage-few-'))
  const args = [
    '--nofile=256',
    process.execPath,
    entry,
    '--data',
    dir,
    '--api-port',
    '0',
    '--media-port',
    '0',
    '--rtmp-port',
    '0',
  ]
  const env = { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret }
  const child = spawn('prlimit', args, { stdio: ['ignore', 'pipe', 'ignore'], env })
  const gone = once(child, 'exit')
  stop = () => {
    child.kill('SIGKILL')
    return gone
  }
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  ready = JSON.parse(line.toString()) as ServiceReady
})
afterEach(async () => {
  await stop()
  rmSync(dir, { recursive: true, force: true })
})

const portOf = (url: string): number => Number(new URL(url).port)
const flooded = () => silentFlood([ready.baseUrl, ready.mediaUrl, ready.rtmpUrl].map(portOf), 300)

it('saves a setting, opens a file and answers while silent connections want more descriptors than the process has', async () => {
  const client = signedClient(ready.baseUrl, credentials)
  const flood = await flooded()
  try {
    // A refused connection is open until accepted from the queue.
    await until('the end of those that are too many', () => flood.held() < 256)
    expect(flood.held()).toBeGreaterThan(50)
    expect((await client.call(local.updateSettings, { roomsPerCreator: 7 })).ret?.roomsPerCreator).toBe(7)
    const { code, url } = await client.call(messages.upload, { content: Buffer.from('a file').toString('base64') })
    expect(code).toBe(200)
    expect(await (await fetch(url!)).text()).toBe('a file')
  } finally {
    flood.end()
  }
})

it('has an encoder on air and shows its picture to a viewer who comes during a flood, in time', async () => {
  const client = signedClient(ready.baseUrl, credentials)
  const { ret } = await client.call(live.create, { name: 'a' })
  const { cid, pushUrl } = ret!
  const flood = await flooded()
  try {
    await promised(2000, async () => {
      const encoder = await RtmpTestClient.open(portOf(ready.rtmpUrl), false, '127.0.8.1')
      await encoder.connect()
      expect(await encoder.ask('publish', pushUrl.slice(pushUrl.lastIndexOf('/') + 1))).toBe('NetStream.Publish.Start')
      encoder.send(rtmpType.video, 0, avcHeader)
      encoder.send(rtmpType.audio, 0, aacHeader)
      encoder.send(rtmpType.video, 0, keyFrame())
      await until('the stream on air', async () => (await client.call(live.state, { cid })).ret?.status === 1)
      const answer = await fetch(`${ready.mediaUrl}/live/${cid}.flv`)
      expect(answer.status).toBe(200)
      const reader = answer.body!.getReader()
      expect(Buffer.from((await reader.read()).value!).toString('latin1', 0, 3)).toBe('FLV')
      await reader.cancel()
      encoder.close()
    })
  } finally {
    flood.end()
  }
})
