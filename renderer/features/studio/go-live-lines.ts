import { bytes, remaining } from '../../format/figures.ts'
import { codecLine } from './go-live.ts'
import { linesAfterProfile, type Fix, type GoLiveFacts, type GoLiveLine } from './go-live-facts.ts'
import { failed, fixOf, line, waiting } from './go-live-line.ts'
import { shareLine, targetsLines } from './go-live-outside.ts'
import { hoursLeft } from '../recordings/recording-card.ts'

/** In ms. */
const soon = 86_400_000
/** Wanted space in hours of recording, or in bytes if the bitrate is unknown. */
const hoursWanted = 2
const bytesWanted = 5e9
/** In s. */
const soundGap = 1

const keyLine = ({ card, now, local }: GoLiveFacts): GoLiveLine => {
  if (card === null) return waiting('key')
  if ('failure' in card) return failed('key', card.failure, fixOf(card.failure, local))
  const { expires } = card.value
  if (expires === null) return line('key', { state: 'ok', says: 'key.endless' })
  if (expires <= now) return line('key', { state: 'fault', says: 'key.expired', fix: 'renew' })
  const { days, short: clock } = remaining(expires - now)
  return expires - now < soon
    ? line('key', { state: 'warn', says: 'key.soon', named: { clock }, fix: 'renew' })
    : line('key', { state: 'ok', says: 'key.ok', named: { days, clock } })
}
/** Instead of copying the key again. */
const refusalFixes: Readonly<Partial<Record<string, Fix>>> = {
  expired: 'renew',
  disabled: 'resume',
  hevc: 'again',
  aac: 'again',
  busy: 'again',
  pace: 'again',
}
const ingestLine = ({ live, held, disabled, figures, rate, refused, extended }: GoLiveFacts): GoLiveLine => {
  const from = extended ? 'ingest' : 'polled'
  const isSilent = figures?.kbps === 0
  if (disabled) return line('ingest', { state: 'fault', says: 'ingest.disabled', from, fix: 'resume' })
  if (live) {
    if (held?.lost) return line('ingest', { state: 'fault', says: 'ingest.held', from, fix: 'again' })
    if (isSilent) return line('ingest', { state: 'fault', says: 'ingest.silent', from, fix: 'again' })
    const codecs = figures === null ? '' : codecLine(figures, rate)
    return line('ingest', { state: 'ok', says: codecs === '' ? 'ingest.live' : 'ingest.ok', named: { codecs }, from })
  }
  if (refused !== null)
    return line('ingest', {
      state: 'fault',
      says: `ingest.refused_${refused.why}`,
      named: { from: refused.from },
      from,
      fix: refusalFixes[refused.why] ?? 'copy',
    })
  return line('ingest', { state: 'fault', says: 'ingest.none', from, fix: 'copy' })
}
const flvLine = ({ flv, live }: GoLiveFacts): GoLiveLine => {
  if (!live) return waiting('flv', 'waitPush')
  if (flv === null) return waiting('flv')
  if ('failure' in flv)
    return line('flv', { state: 'fault', says: 'flv.failed', named: { detail: flv.failure.detail }, fix: 'again' })
  if (flv.value === null) return line('flv', { state: 'none', says: 'flv.none' })
  const { keyFrame, media } = flv.value
  if (!keyFrame) return line('flv', { state: 'fault', says: 'flv.noPicture', fix: 'again' })
  if (media < 500) return line('flv', { state: 'fault', says: 'flv.short', fix: 'again' })
  return line('flv', { state: 'ok', says: 'flv.ok', named: { seconds: (media / 1_000).toFixed(1) } })
}
const hlsLine = ({ hls, live }: GoLiveFacts): GoLiveLine => {
  if (!live) return waiting('hls', 'waitPush')
  if (hls === null) return waiting('hls')
  if ('failure' in hls)
    return line('hls', { state: 'fault', says: 'hls.failed', named: { detail: hls.failure.detail }, fix: 'again' })
  if (hls.value === null) return line('hls', { state: 'none', says: 'hls.none' })
  const { segments, readable } = hls.value
  if (segments === 0) return waiting('hls', 'hls.empty')
  return readable
    ? line('hls', { state: 'ok', says: 'hls.ok', named: { n: segments }, count: segments })
    : line('hls', { state: 'fault', says: 'hls.broken', fix: 'again' })
}
const audioLine = ({ flv, figures, live, held }: GoLiveFacts): GoLiveLine => {
  if (!live) return waiting('audio', 'waitPush')
  if (held) return line('audio', { state: 'warn', says: 'audio.held', from: 'ingest' })
  const gap = (figures?.audioGap ?? 0) / 1_000
  if (gap > soundGap)
    return line('audio', {
      state: 'fault',
      says: 'audio.gaps',
      named: { seconds: gap.toFixed(1) },
      from: 'ingest',
      fix: 'again',
    })
  const heard = flv !== null && 'value' in flv && flv.value !== null ? flv.value : null
  if (heard?.audio)
    return figures?.audioCodec
      ? line('audio', { state: 'ok', says: 'audio.codec', named: { codec: figures.audioCodec } })
      : line('audio', { state: 'ok', says: 'audio.ok' })
  if (heard?.keyFrame) return line('audio', { state: 'fault', says: 'audio.missing', fix: 'again' })
  return waiting('audio')
}
const recordingLine = ({ recording, live, held, disabled, figures }: GoLiveFacts): GoLiveLine => {
  const { wished, running, state } = recording
  if (live && state?.state === 'stopped')
    return line('recording', {
      state: 'fault',
      says: `recording.stopped_${state.reason ?? 'error'}`,
      fix: state.reason === 'space' ? 'recordings' : 'folder',
    })
  if (!wished)
    return line(
      'recording',
      running ? { state: 'warn', says: 'recording.unwished' } : { state: 'ok', says: 'recording.off' },
    )
  if (disabled) return line('recording', { state: 'warn', says: 'recording.disabled' })
  if (!live) return line('recording', { state: 'ok', says: 'recording.armed' })
  if (running && figures?.kbps === 0)
    return held ? line('recording', { state: 'ok', says: 'recording.held' }) : waiting('recording', 'recording.silent')
  return running ? line('recording', { state: 'ok', says: 'recording.ok' }) : waiting('recording', 'recording.waiting')
}
const diskLine = ({ local, extended, diskFree, ...facts }: GoLiveFacts): GoLiveLine => {
  const { recordingRoom, recordedKbps, live, recording } = facts
  if (!local) return line('disk', { state: 'none', says: extended ? 'disk.elsewhere' : 'disk.none' })
  if (recordingRoom === null) return waiting('disk')
  const size = bytes(recordingRoom)
  // As the status bar has it: what recordings may use is less, by the reserve.
  const free = bytes(diskFree ?? recordingRoom)
  if (live && recording.state?.state === 'stopped' && recording.state.reason === 'space')
    return line('disk', { state: 'fault', says: 'disk.full', named: { free }, fix: 'recordings' })
  const left = hoursLeft(recordingRoom, live ? recordedKbps : null)
  const hours = left === null ? '' : left >= 10 ? String(Math.floor(left)) : left.toFixed(1)
  const isLow = left === null ? recordingRoom < bytesWanted : left < hoursWanted
  return line('disk', {
    state: isLow ? 'warn' : 'ok',
    says: left === null ? 'disk.ok' : isLow ? 'disk.low' : 'disk.hours',
    named: { free, size, hours },
    fix: isLow ? 'recordings' : null,
  })
}
const roomLine = ({ room, local }: GoLiveFacts): GoLiveLine => {
  if (room === null) return waiting('room')
  if ('failure' in room)
    return failed(
      'room',
      room.failure,
      room.failure.kind === 'code' || room.failure.kind === 'missing' ? 'room' : fixOf(room.failure, local),
    )
  if (room.value === null) return line('room', { state: 'warn', says: 'room.none', fix: 'room' })
  const { name, valid, muted, online } = room.value
  if (!valid) return line('room', { state: 'fault', says: 'room.closed', named: { name }, fix: 'openRoom' })
  if (muted) return line('room', { state: 'warn', says: 'room.muted', named: { name }, fix: 'unmute' })
  return online === null
    ? line('room', { state: 'ok', says: 'room.open', named: { name } })
    : line('room', { state: 'ok', says: 'room.ok', named: { name, n: online }, count: online })
}
const moderatorsLine = ({ seats, room, local }: GoLiveFacts): GoLiveLine => {
  if (seats === null) return waiting('moderators')
  if ('failure' in seats) return failed('moderators', seats.failure, fixOf(seats.failure, local))
  if (room !== null && 'value' in room && room.value === null)
    return line('moderators', { state: 'warn', says: 'moderators.noRoom', fix: 'room' })
  const { listening, seats: all } = seats.value
  if (all.length === 0) return line('moderators', { state: 'warn', says: 'moderators.none', fix: 'moderators' })
  const online = all.filter((seat) => seat.pages > 0)
  if (online.length > 0)
    return line('moderators', {
      state: 'ok',
      says: 'moderators.ok',
      named: { names: online.map((seat) => seat.name).join(', ') },
    })
  if (!listening) return line('moderators', { state: 'warn', says: 'moderators.off', fix: 'moderators' })
  return line('moderators', {
    state: 'warn',
    says: 'moderators.nobody',
    named: { n: all.length },
    count: all.length,
    fix: 'moderators',
  })
}

/** In the order in which a broadcast starts. */
export function goLiveLines(facts: GoLiveFacts): GoLiveLine[] {
  const { profile, local, lost } = facts
  if (lost !== null)
    return [failed('profile', lost, fixOf(lost, local)), ...linesAfterProfile.map((name) => waiting(name, 'unknown'))]
  return [
    profile === null
      ? waiting('profile')
      : 'failure' in profile
        ? failed('profile', profile.failure, fixOf(profile.failure, local))
        : line('profile', { state: 'ok', says: 'profile.ok', named: { ms: profile.value.milliseconds } }),
    keyLine(facts),
    ingestLine(facts),
    flvLine(facts),
    hlsLine(facts),
    audioLine(facts),
    recordingLine(facts),
    diskLine(facts),
    shareLine(facts),
    ...targetsLines(facts),
    roomLine(facts),
    moderatorsLine(facts),
  ]
}
