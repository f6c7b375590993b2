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
  /** Of the locale: `check.<name>.<says>`. */
  readonly says: string
  readonly named: Readonly<Record<string, string | number>>
  /** A time in ms, ms since the push began, or text. */
  readonly aside: { readonly at: number } | { readonly after: number } | { readonly text: string } | null
}

/** What the check knows. */
export interface GoLiveInput {
  readonly local: boolean
  /** The state is stale: nothing counts as proven. */
  readonly unsure: boolean
  /** Undefined for a service elsewhere, which answers or does not. */
  readonly service: ServiceState | null | undefined
  readonly card: PushCard | null
  readonly now: number
  readonly live: boolean
  readonly disabled: boolean
  /** Viewers and the recording get the held picture. */
  readonly held: boolean
  readonly since: number | null
  readonly figures: Figures | null
  readonly rate: number | null
  readonly log: readonly LogLine[]
  /** `from`: since when this preview is open. */
  readonly played: { readonly at: number; readonly from: number; readonly kind: TransportKind } | null
  /** Null without recording, or where it is unknown. */
  readonly recording: GoLiveRecording | null
}

/** Recording of a push. */
export interface GoLiveRecording {
  readonly state: RecordingState['state']
  readonly reason: RecordingState['reason']
  readonly bytes: number
  readonly first: RecordedFile | null
  /** Of the first file; null if there is none, undefined while unknown. */
  readonly callback: OutgoingCallback | null | undefined
}

const line = (
  name: Check['name'],
  state: Check['state'],
  says: string,
  aside: Check['aside'] = null,
  named: Check['named'] = {},
): Check => ({ name, state, says, named, aside })

/** As "H.264 High 4.1 1080p60, AAC-LC 48 kHz"; empty while unknown. `rate`: see `steadyRate`. */
export function codecLine(figures: Figures, rate: number | null): string {
  const size = figures.height === null ? '' : ` ${figures.height}p${rate ?? ''}`
  const video = figures.videoCodec === null ? '' : `${figures.videoCodec}${size}`
  const audio =
    figures.audioCodec === null
      ? ''
      : `${figures.audioCodec}${figures.sampleRate === null ? '' : ` ${figures.sampleRate / 1_000} kHz`}`
  return [video, audio].filter((part) => part !== '').join(', ')
}

function recordingChecks(
  { state, reason, bytes: written, first, callback }: GoLiveRecording,
  isSilent: boolean,
  isHeld: boolean,
  own: readonly LogLine[],
): Check[] {
  const writes = state === 'recording' && written > 0
  // The same time as in the log.
  const ready = own.find((each) => each.kind === 'fileReady' && each.detail === first?.name)?.at ?? first?.end ?? null
  const stoppedBefore = own.some((each) => each.kind === 'recordingStopped')
  // A finished file does not prove that recording goes on.
  const slice =
    state === 'stopped'
      ? line('slice', 'fault', `stopped_${reason ?? 'error'}`)
      : writes && isSilent && isHeld
        ? line('slice', 'ok', 'held', { text: bytes(written) })
        : writes && !isSilent && stoppedBefore
          ? line('slice', 'ok', 'again', { text: bytes(written) })
          : first
            ? line('slice', 'ok', 'ok', ready === null ? null : { at: ready })
            : state === 'recording' && written > 0
              ? isSilent
                ? line('slice', 'wait', 'silent')
                : line('slice', 'ok', 'grows', { text: bytes(written) })
              : line('slice', 'wait', 'wait')
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

/** In the order of a broadcast, without what a hosted service does not say. */
export function goLiveChecks(input: GoLiveInput): Check[] {
  const { local, service, card, now, live, disabled, since, figures, log, played } = input
  const own = since === null ? log : log.filter((each) => each.at >= since - 5_000)
  const event = (kind: LogLine['kind']): LogLine | undefined =>
    live ? own.find((each) => each.kind === kind) : undefined
  const turn = live ? null : lastRefusal(log)
  const refusal = turn && refusalOf(turn)
  const start = event('started')?.at ?? (live ? since : null) ?? null
  // For a page opened later: the time instead of the time since the begin.
  const after = (at: number | undefined, from = 0): Check['aside'] => {
    if (at === undefined || start === null || at < start) return null
    const took = at - Math.max(start, from)
    return took < 60_000 ? { after: Math.max(0, took) } : { at }
  }
  // Nothing arrives: earlier results are stale.
  const isSilent = live && local && figures?.kbps === 0
  const checks: Check[] = []

  if (local && service !== undefined) {
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
  // Attempts from elsewhere are no fault of this channel.
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
    checks.push(
      live && played
        ? line('preview', 'ok', played.kind, after(played.at, played.from))
        : line('preview', 'wait', 'wait'),
    )
  if (input.recording) checks.push(...recordingChecks(input.recording, isSilent, input.held, own))
  return input.unsure
    ? checks.map((check) => (check.state === 'ok' ? { ...check, state: 'wait', aside: null } : check))
    : checks
}
