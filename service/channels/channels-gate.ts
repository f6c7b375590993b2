import type { Clock } from '../../platform/clock.ts'
import type { AdmissionTable } from '../storage/live-tables.ts'
import type { createAdmissionLog } from './channels-admissions.ts'
import type { Channel, Channels } from './channels.ts'
import { admittedExpiry, reconnectGrace, type PushKey } from '../ingest/push-address.ts'
import type { PushRefusal } from '../ingest/rtmp-session-host.ts'

/** Admits publishers and players, synchronously and from memory. */
export type ChannelsGate = ReturnType<typeof createChannelsGate>

/** How often admissions of running pushes are noted, in ms. */
const tidyEvery = 60_000

/** Has a gate tidy up about once a minute; the returned function ends that, and has it note what is on air then. */
export function keepGateTidy(gate: Pick<ChannelsGate, 'tidy'>): () => void {
  const timer = setInterval(() => gate.tidy(), tidyEvery)
  return () => {
    clearInterval(timer)
    gate.tidy()
  }
}

const refusal = (remedy: PushRefusal['remedy'], reason: string): PushRefusal => ({ ok: false, remedy, reason })

/** Makes the gate; `earlier` are the admissions stored before a restart. */
export function createChannelsGate(options: {
  readonly channels: Pick<Channels, 'get'>
  readonly clock: Clock
  readonly log: Pick<ReturnType<typeof createAdmissionLog>, 'note' | 'forget'>
  readonly earlier: readonly AdmissionTable[]
}) {
  const { channels, clock, log } = options
  /** Time of the last packet (ms) by channel and expiry. Bounded: only valid secrets add an entry. */
  const admitted = new Map<string, Map<number, number>>()
  const remember = ({ cid, wsTime, lastPacket }: AdmissionTable): void => {
    let times = admitted.get(cid)
    if (!times) admitted.set(cid, (times = new Map()))
    times.set(wsTime, Math.max(lastPacket, times.get(wsTime) ?? 0))
  }
  const note = (cid: string, wsTime: number, lastPacket: number): void => {
    const admission = { cid, wsTime, lastPacket }
    remember(admission)
    log.note(admission)
  }
  for (const admission of options.earlier) remember(admission)
  const mayReturn = (channel: Channel, wsTime: number, now: number): boolean => {
    const last = admitted.get(channel.row.cid)?.get(wsTime)
    return last !== undefined && (channel.since !== undefined || now - last <= reconnectGrace)
  }

  return {
    admit(cid: string, key: PushKey): { readonly ok: true } | PushRefusal {
      const channel = channels.get(cid)
      if (!channel) return refusal('unknown', 'there is no such channel')
      const wsTime = admittedExpiry(channel.row.channelKey, cid, key)
      if (wsTime === undefined) return refusal('key', 'the stream key is not one of this channel; copy it again')
      if (channel.row.disabled) return refusal('disabled', 'the channel is disabled')
      const now = clock.now()
      if (wsTime * 1000 <= now && !mayReturn(channel, wsTime, now))
        return refusal('expired', 'the stream key has expired; copy the new one')
      note(cid, wsTime, now)
      return { ok: true }
    },
    released(cid: string, key: PushKey, lastPacketAt: number) {
      const channel = channels.get(cid)
      const wsTime = channel && admittedExpiry(channel.row.channelKey, cid, key)
      if (wsTime !== undefined) note(cid, wsTime, lastPacketAt)
    },
    /** Another node admitted a push, or had its last packet: it may return here. */
    heard: remember,
    mayPlay: (cid: string) => channels.get(cid)?.row.disabled === 0,
    /** Stores the last packet times of pushes on air and drops expired grace periods; call about once a minute. */
    tidy() {
      const now = clock.now()
      for (const [cid, times] of admitted) {
        const channel = channels.get(cid)
        for (const [wsTime, lastPacket] of times) {
          if (channel?.since !== undefined) note(cid, wsTime, now)
          else if (!channel || now - lastPacket > reconnectGrace) {
            times.delete(wsTime)
            log.forget({ cid, wsTime })
          }
        }
        if (times.size === 0) admitted.delete(cid)
      }
    },
  }
}
