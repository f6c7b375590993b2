import { holdTurns, type HoldReasons } from '../../contract/hold-turns.ts'
import type { AppEvent, HealthSample, PushTurn } from '../../contract/rpc/index.ts'
import { localProfileId } from '../profiles/profiles.ts'

/** Pushes seen since the app began. */
export type PushHistory = ReturnType<typeof createPushHistory>

/** Time in ms and numbers that are kept of a channel. */
const keptFor = 600_000
const maxSamples = 660
const maxTurns = 200
/** Anybody who knows a channel can be refused: refusals do not drop other turns. */
const maxRefusals = 50
/** Turns of holds and targets, which do not drop others either. */
const maxBeside = 50
/** The channel quiet for longest is dropped; of a profile with more than half of them, its own. */
const maxChannels = 256

/** The turn that a target's new state is; undefined for none. */
const targetTurns: Readonly<Partial<Record<string, PushTurn['kind']>>> = {
  sending: 'targetSending',
  stalled: 'targetStalled',
  retrying: 'targetRetrying',
  refused: 'targetRefused',
  stopped: 'targetStopped',
  noKey: 'targetNoKey',
}
const isPush = ({ kind }: PushTurn): boolean =>
  kind === 'started' || kind === 'ended' || kind === 'refused' || kind === 'replaced'

interface Kept {
  samples: HealthSample[]
  turns: PushTurn[]
  running: boolean
  held: HoldReasons | undefined
  /** The last turn of each target in this push. */
  targets: Map<number, PushTurn['kind']>
}

/** Makes an empty history. */
export function createPushHistory() {
  const channels = new Map<string, Kept>()
  const key = (profileId: string, cid: string): string => `${profileId} ${cid}`
  const touch = (profileId: string, cid: string): Kept => {
    const at = key(profileId, cid)
    const kept = channels.get(at) ?? { samples: [], turns: [], running: false, held: undefined, targets: new Map() }
    channels.delete(at)
    channels.set(at, kept)
    if (channels.size > maxChannels) {
      const all = [...channels.keys()]
      const own = all.filter((one) => one.startsWith(`${profileId} `))
      const [quiet] = own.length > maxChannels / 2 ? own : all
      if (quiet !== undefined) channels.delete(quiet)
    }
    return kept
  }
  const turn = (kept: Kept, one: PushTurn): void => {
    if (isPush(one)) kept.running = one.kind === 'started' || (one.kind === 'refused' && kept.running)
    kept.turns.push(one)
    const refusals = one.kind === 'refused' ? kept.turns.filter(({ kind }) => kind === 'refused') : []
    const beside = isPush(one) ? [] : kept.turns.filter((each) => !isPush(each))
    if (refusals.length > maxRefusals) kept.turns.splice(kept.turns.indexOf(refusals[0]!), 1)
    else if (beside.length > maxBeside) kept.turns.splice(kept.turns.indexOf(beside[0]!), 1)
    else if (kept.turns.length > maxTurns) kept.turns.shift()
  }

  return {
    /** Takes what a page would be told. */
    note: (event: AppEvent) => {
      if (event.type === 'figures' && event.figures) {
        const kept = touch(event.profileId, event.cid)
        kept.running = true
        const { kbps, fps, drift } = event.figures
        kept.samples.push({ at: event.at, kbps, fps, drift })
        const from = event.at - keptFor
        while (kept.samples.length > maxSamples || (kept.samples[0]?.at ?? from) < from) kept.samples.shift()
      } else if (event.type === 'push') {
        const { at, kind, detail, remedy, from } = event
        if (kind === 'started' || kind === 'ended' || kind === 'refused' || kind === 'replaced') {
          const kept = touch(event.profileId, event.cid)
          if (kind === 'started') kept.targets.clear()
          // No hold lasts over it.
          if (kind === 'started' || kind === 'ended') kept.held = undefined
          turn(kept, { at, kind, detail, remedy, ...(from !== undefined && { from }) })
        }
      } else if (event.type === 'hold') {
        // Not known for now: what becomes of it is told after the gap.
        if (event.hold === null) return
        const kept = touch(event.profileId, event.cid)
        const { now, turns } = holdTurns(kept.held, event.hold, event.at)
        kept.held = now
        for (const one of turns) turn(kept, { ...one, remedy: null })
      } else if (event.type === 'target') {
        const { targetId, target } = event
        if (target === null) {
          const kept = channels.get(key(event.profileId, event.cid))
          kept?.targets.delete(targetId)
          const line = { at: event.at, kind: 'targetRemoved', detail: String(targetId), remedy: null } as const
          if (kept?.running && event.removed) turn(kept, line)
          return
        }
        const kind = targetTurns[target.state]
        // A server that takes something has not stalled.
        if (kind === undefined || (kind === 'targetStalled' && target.kbps > 0)) return
        const kept = touch(event.profileId, event.cid)
        if (kept.targets.get(targetId) === kind) return
        kept.targets.set(targetId, kind)
        turn(kept, { at: target.since, kind, detail: String(targetId), remedy: target.reason })
      } else if (event.type === 'service' && event.service.phase !== 'running' && event.service.since !== null) {
        const { since } = event.service
        // A service that is gone reports no end of its pushes; a late one ends none.
        for (const [at, kept] of channels)
          if (at.startsWith(`${localProfileId} `)) {
            kept.held = undefined
            if (kept.running) turn(kept, { at: since, kind: 'ended', detail: 'service', remedy: null })
          }
      }
    },
    /** Of a profile that is gone. */
    forget: (profileId: string) => {
      for (const at of channels.keys()) if (at.startsWith(`${profileId} `)) channels.delete(at)
    },
    /** Channels seen, the latest last. */
    channels: (): readonly { readonly profileId: string; readonly cid: string }[] =>
      [...channels.keys()].map((at) => {
        const [profileId = '', cid = ''] = at.split(' ')
        return { profileId, cid }
      }),
    /** Figures of the last 10 minutes and the last turns of a channel, oldest first. */
    of: (profileId: string, cid: string): { readonly samples: HealthSample[]; readonly turns: PushTurn[] } => {
      const { samples, turns } = channels.get(key(profileId, cid)) ?? { samples: [], turns: [] }
      return { samples: [...samples], turns: [...turns] }
    },
  }
}
