import * as answer from '../../ingest/rtmp-answers.ts'
import { isProtocolFault, RtmpClient, type PublishOutcome } from '../../media/rtmp-client.ts'
import { numberBody, userControlBody, writeChunks } from '../../media/rtmp-chunk-writer.ts'
import { handshakeLength } from '../../media/rtmp-handshake.ts'
import { rtmpType, userControl } from '../../media/rtmp-message.ts'
import { mutate, type SeededRandom } from './random.ts'
import { promise, type FuzzTarget } from './target.ts'

const key = 'a-key-of-a-target'
const longestText = 300
const handshake = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * handshakeLength, 7)])
const control = (type: number, body: Buffer): Buffer => writeChunks({ type, streamId: 0, timestamp: 0, body }, 2)
const accepted = [
  answer.connectPreamble(),
  answer.connectAccepted(1),
  answer.command(0, '_result', 4, null, 1),
  answer.publishAccepted(),
]
const parts = [
  ...accepted,
  answer.command(0, '_error', 2, null, { level: 'error', code: 'NetConnection.Call.Failed' }),
  answer.command(0, '_error', 4, null, { level: 'error', description: `${'x'.repeat(290)}${key}` }),
  answer.command(0, '_result', 4, null, -1),
  answer.status('error', 'NetStream.Publish.BadName', `${key} is unknown`),
  answer.status('status', 'NetStream.Unpublish.Success', 'over'),
  control(rtmpType.userControl, userControlBody(userControl.pingRequest, 5)),
  control(rtmpType.windowAcknowledgementSize, numberBody(1)),
  control(rtmpType.setChunkSize, numberBody(128)),
]

interface Read {
  readonly outcomes: readonly PublishOutcome[]
  readonly state: string
  readonly isRefused: boolean
}
function read(input: Buffer, pieces: (left: number) => number): Read {
  const outcomes: PublishOutcome[] = []
  let sent = 0
  const client = new RtmpClient({
    request: { app: 'app', tcUrl: 'rtmp://a.example/app', name: key, program: 'test' },
    random: (length) => Buffer.alloc(length),
    send: (bytes) => (sent += bytes.length),
    outcome: (outcome) => outcomes.push(outcome),
  })
  let isRefused = false
  try {
    for (let at = 0; at < input.length;) {
      const end = at + pieces(input.length - at)
      client.push(input.subarray(at, end))
      at = end
    }
  } catch (error) {
    if (!isProtocolFault(error)) throw error
    isRefused = true
  }
  promise(sent < 3 * handshakeLength + 4 * input.length + 4096, 'no more is answered than was asked')
  // What follows a refusal is not read; in the same piece it may still be found faulty.
  return { outcomes, state: client.state, isRefused: isRefused && client.state !== 'over' }
}

/** Answers of a server to a publisher: protocol faults only, and outcomes that do not depend on pieces. */
export const answersTarget: FuzzTarget = {
  name: 'answers',
  make(random) {
    const before = accepted.slice(0, random.below(accepted.length + 1))
    const more = Array.from({ length: 1 + random.below(4) }, () => random.pick(parts))
    return random.below(8) === 0
      ? mutate(Buffer.concat([handshake, ...before]), random)
      : Buffer.concat([handshake, mutate(Buffer.concat([...before, ...more]), random)])
  },
  check(input, random: SeededRandom) {
    const whole = read(input, (left) => left)
    const cut = read(input, (left) => 1 + random.below(Math.min(left, 400)))
    promise(JSON.stringify(whole) === JSON.stringify(cut), 'pieces decide nothing')
    const refusals = whole.outcomes.filter(({ kind }) => kind === 'refused').length
    promise(whole.outcomes.length - refusals <= 1 && refusals <= 1, 'each outcome comes once')
    promise(refusals === 0 || whole.outcomes.at(-1)?.kind === 'refused', 'a refusal is the end')
    for (const outcome of whole.outcomes)
      if (outcome.kind === 'refused')
        promise(
          outcome.text.length <= longestText && !outcome.text.includes(key),
          'words are short and without the key',
        )
    return whole.isRefused ? 'refused' : 'taken'
  },
}
