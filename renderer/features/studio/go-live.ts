import type {
  Figures,
  OutgoingCallback,
  PushCard,
  RecordedFile,
  RecordingState,
  ServiceState,
} from '../../../contract/rpc/index.ts'
import type { TransportKind } from '../../player/transport.ts'
import type { LogLine } from '../channels/live.ts'
import { bytes } from '../../format/figures.ts'
import { ranges } from './health.ts'
import { lastRefusal, refusalOf } from '../channels/push-refusals.ts'

/** One line of the go-live check. */
export interface Check {
  readonly name: 'service' | 'accepted' | 'keyFrame' | 'codecs' | 'gap' | 'preview' | 'slice' | 'callback'
  readonly state: 'ok' | 'wait' | 'fault'
  /** Which sentence of the locale the line says: `check.<name>.<says>`. */
  readonly says: string
  readonly named: Readonly<Record<string, string | number>>
  /** What stands at the line's end: a time in ms, ms since the push began, or text. */
  readonly aside: { readonly at: number } | { readonly after: number } | { readonly text: string } | null
}

/** What the check can know. */
export interface GoLiveInput {
  readonly local: boolean
  /** Nobody vouches for what was told last; nothing counts as proven then. */
  readonly unsure: boolean
  readonly service: ServiceState | null
  /** Null while it is not known. */
  readonly card: PushCard | null
  readonly now: number
  readonly live: boolean
  readonly disabled: boolean
  readonly since: number | null
  readonly figures: Figures | null
  /** The steady frame rate of the push; null while it is not known. */
  readonly rate: number | null
  readonly log: readonly LogLine[]
  /** When the present broadcast first played in the preview, and how. */
  readonly played: { readonly at: number; readonly kind: TransportKind } | null
  /** Recording of this broadcast; null where nothing is recorded or nobody tells. */
  readonly recording: GoLiveRecording | null
}

/** What the check knows of the recording of a broadcast. */
export interface GoLiveRecording {
  readonly state: RecordingState['state']
  readonly reason: RecordingState['reason']
  /** Size of the slice that is being written. */
  readonly bytes: number
  /** The first file of this broadcast, once it is ready. */
  readonly first: RecordedFile | null
  /** What became of its callback; null where none is known, undefined while nobody has told. */
  readonly callback: OutgoingCallback | null | undefined
}

const line = (
  name: Check['name'],
  state: Check['state'],
  says: string,
  aside: Check['aside'] = null,
  named: Check['named'] = {},
): Check => ({ name, state, says, named, aside })

/** Codecs as "H.264 High 4.1 1080p60, AAC-LC 48 kHz"; empty while unknown. `rate` is the steady one, or null. */
export function codecLine(figures: Figures, rate: number | null): string {
  const size = figures.height === null ? '' : ` ${figures.height}p${rate ?? ''}`
  const video = figures.videoCodec === null ? '' : `${figures.videoCodec}${size}`
  const audio =
    figures.audioCodec === null
      ? ''
      : `${figures.audioCodec}${figures.sampleRate === null ? '' : ` ${figures.sampleRate / 1_000} kHz`}`
  return [video, audio].filter((part) => part !== '').join(', ')
}

/** The lines of the recording: that it is written, and where a callback was sent, that it arrived. */
function recordingChecks(
  { state, reason, bytes: written, first, callback }: GoLiveRecording,
  isSilent: boolean,
  own: readonly LogLine[],
): Check[] {
  const writes = state === 'recording' && written > 0
  // The log of the broadcast tells it too: one event has one time.
  const ready = own.find((each) => each.kind === 'fileReady' && each.detail === first?.name)?.at ?? first?.end ?? null
  const stoppedBefore = own.some((each) => each.kind === 'recordingStopped')
  // A file that is ready says nothing of what is on air now.
  const slice =
    state === 'stopped'
      ? line('slice', 'fault', `stopped_${reason ?? 'error'}`)
      : writes && !isSilent && stoppedBefore
        ? line('slice', 'ok', 'again', { text: bytes(written) })
        : first
          ? line('slice', 'ok', 'ok', ready === null ? null : { at: ready })
          : state === 'recording' && written > 0
            ? isSilent
              ? line('slice', 'wait', 'silent')
              : line('slice', 'ok', 'grows', { text: bytes(written) })
            : line('slice', 'wait', 'wait')
  // There is nothing to wait for before a file is ready, nor where no callback is sent.
  if (!first || callback == null) return [slice]
  if (callback.state === 'failed') return [slice, line('callback', 'fault', 'failed')]
  if (callback.state === 'delivered') return [slice, line('callback', 'ok', 'ok')]
  return [
    slice,
    line(
      'callback',
      'wait',
      callback.attempts > 0 ? 'retry' : 'wait',
      callback.attempts > 0 && callback.due !== null ? { at: callback.due } : null,
    ),
  ]
}

/** The lines of the go-live check in the order of a broadcast. What a hosted service does not tell has no line. */
export function goLiveChecks(input: GoLiveInput): Check[] {
  const { local, service, card, now, live, disabled, since, figures, log, played } = input
  const own = since === null ? log : log.filter((each) => each.at >= since - 5_000)
  const event = (kind: LogLine['kind']): LogLine | undefined =>
    live ? own.find((each) => each.kind === kind) : undefined
  const turn = live ? null : lastRefusal(log)
  const refusal = turn && refusalOf(turn)
  const start = event('started')?.at ?? (live ? since : null) ?? null
  // Who opens the page in the middle of a broadcast sees when, not how long after its begin.
  const after = (at: number | undefined): Check['aside'] =>
    at === undefined || start === null || at < start ? null : at - start < 60_000 ? { after: at - start } : { at }
  // Nothing arrives: what was proven before may not hold now.
  const isSilent = live && local && figures?.kbps === 0
  const checks: Check[] = []

  if (local) {
    checks.push(
      service?.phase === 'running'
        ? line(
            'service',
            'ok',
            'ok',
            service.addresses ? { text: service.addresses.rtmp.replace(/^rtmp:\/\//, '').replace(/\/.*$/, '') } : null,
          )
        : service === null || service.phase === 'starting'
          ? line('service', 'wait', 'wait')
          : line('service', 'fault', 'fault'),
    )
  }
  const expired = card !== null && card.expires !== null && card.expires <= now
  // What somebody else tries is no fault of this channel.
  const isForeign = refusal?.why === 'keyFrom'
  if (disabled) checks.push(line('accepted', 'fault', 'disabled'))
  else if (turn && refusal && !isForeign)
    checks.push(line('accepted', 'fault', `refused_${refusal.why}`, { at: turn.at }))
  else if (expired) checks.push(line('accepted', 'fault', 'expired'))
  else if (turn && refusal)
    checks.push(line('accepted', 'wait', 'refused_keyFrom', { at: turn.at }, { from: refusal.from }))
  else
    checks.push(
      live
        ? line('accepted', 'ok', 'ok', start === null ? null : { at: start })
        : line('accepted', 'wait', card ? 'valid' : 'wait'),
    )
  if (local) {
    const key = event('firstKeyFrame')
    const known = key !== undefined || figures?.height != null
    checks.push(live && known ? line('keyFrame', 'ok', 'ok', after(key?.at)) : line('keyFrame', 'wait', 'wait'))
    const codecs = live && figures ? codecLine(figures, input.rate) : ''
    checks.push(codecs === '' ? line('codecs', 'wait', 'wait') : line('codecs', 'ok', 'ok', null, { codecs }))
    const gap = live ? (figures?.keyFrameGap ?? null) : null
    const seconds = gap === null ? 0 : gap / 1_000
    checks.push(
      gap === null || isSilent
        ? line('gap', 'wait', 'wait')
        : seconds <= ranges.keyFrameGap
          ? line('gap', 'ok', 'ok', { text: `${seconds.toFixed(2)} s` })
          : line('gap', 'fault', 'long', { text: `${seconds.toFixed(1)} s` }),
    )
  }
  if (isSilent) checks.push(line('preview', 'wait', 'silent'))
  else
    checks.push(live && played ? line('preview', 'ok', played.kind, after(played.at)) : line('preview', 'wait', 'wait'))
  if (input.recording) checks.push(...recordingChecks(input.recording, isSilent, own))
  return input.unsure
    ? checks.map((check) => (check.state === 'ok' ? { ...check, state: 'wait', aside: null } : check))
    : checks
}
