import { rtmpType } from '../../../service/media/rtmp-message.ts'
import { RtmpTestClient } from '../../../service/ingest/testing/rtmp-test-client.ts'
import { aacHeader, avcHeader, interFrame, keyFrame, sound } from '../../../service/ingest/testing/rtmp-test-server.ts'
import { count, portOf, rounds, type Attack } from './attack.ts'

/** Timestamps of video and sound, in ms, `at` ms after the begin. */
const paths: readonly ((at: number) => readonly [number, number])[] = [
  () => [5000, 5000],
  (at) => [at, at + 3000],
  (at) => [at % 1500, at % 1500],
  (at) => [(at * 40) % 2 ** 32, at],
  (at) => [Math.max(0, 100_000 - at), at],
]
const [step, size, turn] = [40, 20_000, 125] as const

/** An encoder with a valid key for a second channel, whose timestamps stand still, jump, go back or drift apart. */
export const unusualTimestamps: Attack = {
  name: 'unusual timestamps with a valid key',
  async run({ otherPush, service }, over, tried) {
    const key = otherPush.slice(otherPush.lastIndexOf('/') + 1)
    let client: RtmpTestClient | undefined
    await rounds(over, step, async (number) => {
      if (!client || client.ended) {
        client = await RtmpTestClient.open(portOf(service.rtmpUrl), false, '127.32.0.1').catch(() => undefined)
        if (!client) return
        await client.connect()
        count(tried, await client.ask('publish', key))
        client.send(rtmpType.video, 0, avcHeader)
        client.send(rtmpType.audio, 0, aacHeader)
      }
      const [video, audio] = paths[Math.floor(number / turn) % paths.length]!(number * step)
      client.send(rtmpType.video, video, number % 25 ? interFrame(size) : keyFrame(size))
      client.send(rtmpType.audio, audio, sound())
      count(tried, 'packets', 2)
    })
    client?.close()
  },
}
