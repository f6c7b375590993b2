import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { writeChunks } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { eventually } from '../testing/eventually.ts'
import type { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import {
  avcHeader,
  interFrame,
  keyFrame,
  startTestServer,
  testCid,
  type TestServer,
} from '../ingest/testing/rtmp-test-server.ts'

let server: TestServer
afterEach(() => server.close())

const isOnAir = (): boolean => server.hub.stream(testCid) !== undefined
async function onAir(): Promise<RtmpTestClient> {
  server = await startTestServer()
  const client = await server.publisher()
  client.chunkSize(16_384)
  client.send(rtmpType.video, 0, avcHeader)
  client.send(rtmpType.video, 0, keyFrame())
  await eventually(() => expect(isOnAir()).toBe(true))
  return client
}
/** 12 s of frames, 3 MB: more than one read takes. */
const backlog = (): Buffer =>
  Buffer.concat(
    Array.from({ length: 300 }, (_, index) =>
      writeChunks({ type: rtmpType.video, streamId: 1, timestamp: index * 40, body: interFrame(10_000) }, 6, 16_384),
    ),
  )

test('an encoder that went while the service was held still is not on air any more once what it sent before was read', async () => {
  const client = await onAir()
  client.socket.write(backlog())
  client.socket.destroySoon()
  server.ahead += 6000
  expect(isOnAir()).toBe(true)
  await server.server.caughtUp()
  expect(isOnAir()).toBe(false)
  expect(server.logged.join('\n')).toContain('"reason":"lost"')
})

test('an encoder that stayed is on air when its backlog was read, and one that never stops sending fast is waited for no longer than 3 s', async () => {
  const client = await onAir()
  client.socket.write(backlog())
  server.ahead += 6000
  await server.server.caughtUp()
  expect(isOnAir()).toBe(true)

  let isOver = false
  const go = async (): Promise<void> => {
    for (let time = 12_000; !isOver; time += 1000) {
      client.send(rtmpType.video, time, interFrame())
      await nextTurn()
    }
  }
  server.ahead += 6000
  const going = go()
  await server.server.caughtUp()
  isOver = true
  await going
  expect(isOnAir()).toBe(true)
})

test('nothing is waited for while the service runs', async () => {
  const client = await onAir()
  client.socket.write(backlog())
  expect(await Promise.race([server.server.caughtUp().then(() => 'at once'), nextTurn('later')])).toBe('at once')
})
