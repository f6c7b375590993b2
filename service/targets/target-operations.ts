import { foundFaults } from '../../contract/found-faults.ts'
import { maxTargets, targetPresets, targetStarts, type targetStates } from '../../contract/operations/targets.ts'
import { local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Application } from '../applications.ts'
import type { Channels } from '../channels/channels.ts'
import { ownChannel } from '../channels/live-operations.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { readTargetAddress, type TargetAddress } from './target-address.ts'
import type { Targets } from './targets.ts'

/** Characters of a key that tell keys apart; of a short key none. */
const endLength = 4
const leastForEnd = 12

/** States of a target to which the push goes, or that tries again by itself. */
const going: ReadonlySet<(typeof targetStates)[number]> = new Set([
  'connecting',
  'waiting',
  'sending',
  'stalled',
  'retrying',
])

/**
 * kbit/s that targets need: the push once for each, also while its picture is held, as it can go on at any moment. Of a
 * push that is over (`undefined`) the rest that goes out.
 */
export function needsOf(
  pushed: number | undefined,
  all: readonly { readonly state: (typeof targetStates)[number]; readonly kbps: number }[],
): number {
  const those = all.filter(({ state }) => going.has(state))
  return pushed === undefined ? those.reduce((sum, { kbps }) => sum + kbps, 0) : pushed * those.length
}

const oneOf = <const T extends readonly string[]>(those: T, value: string): T[number] =>
  those.find((each) => each === value) ?? those[0]!

/** What the handlers need. */
export interface TargetOperationOptions {
  readonly targets: Targets
  readonly channels: Pick<Channels, 'get'>
  /** Last measured bitrate of a push on air in kbit/s, 0 before it is measured; undefined off air. */
  readonly pushKbps: (cid: string) => number | undefined
  /** Upload at most in kbit/s; 0 without. */
  readonly budget: (uid: number) => number
  /** Pages that wait for their turn to watch. */
  readonly waiting: (uid: number) => number
  /** Whether an address is one of the service itself. */
  readonly isOwn: (address: TargetAddress) => Promise<boolean>
}

/** Handlers of contract/operations/targets.ts. */
export function targetOperations(options: TargetOperationOptions): Served[] {
  const { targets, channels, pushKbps, budget, waiting, isOwn } = options
  const own = (operation: Operation, application: Application, cid: string): string =>
    ownChannel(channels, operation, application, cid).row.cid
  const known = (operation: Operation, fault: 'unknown' | undefined): object => {
    if (fault) throw new Refused(operation.unknown, 'this channel has no such target')
    return {}
  }
  const checkUrl = async (operation: Operation, url: string | undefined): Promise<void> => {
    const address = url === undefined ? undefined : readTargetAddress(url)
    if (address && (await isOwn(address))) throw new Refused(operation.invalid, `url ${foundFaults.ownAddress}`)
    if (url !== undefined && !address) throw new Refused(operation.invalid, `url ${foundFaults.targetAddress}`)
  }
  const checkKey = (operation: Operation, key: string | undefined): void => {
    if (key !== undefined && /[\s\p{Cc}]/u.test(key)) throw new Refused(operation.invalid, `key ${foundFaults.spaces}`)
  }

  return [
    serve(local.targets, ({ cid }, { application }) => {
      own(local.targets, application, cid)
      const list = targets.list(cid)
      return {
        ret: {
          list: list.map(({ row: { targetId, name, preset, url, start, keyState }, key, progress }) => ({
            targetId,
            name,
            preset,
            url,
            start,
            hasKey: key !== undefined,
            ...(key !== undefined && key.length >= leastForEnd && { keyEnd: key.slice(-endLength) }),
            ...(key === undefined && keyState === 'forgotten' && { keyForgotten: true }),
            ...(key === undefined && keyState === 'given' && { keyGone: true }),
            ...progress,
          })),
          needs: needsOf(
            pushKbps(cid),
            list.map(({ progress }) => progress),
          ),
          budget: budget(application.uid),
          waiting: waiting(application.uid),
        },
      }
    }),
    serve(local.addTarget, async ({ cid, name, preset, url, key, start }, { application }) => {
      await checkUrl(local.addTarget, url)
      own(local.addTarget, application, cid)
      checkKey(local.addTarget, key)
      const targetId = await targets.add(cid, {
        name,
        preset: oneOf(targetPresets, preset),
        url,
        key,
        start: oneOf(targetStarts, start),
      })
      if (targetId === 'full') throw new Refused(local.addTarget.invalid, `a channel has at most ${maxTargets} targets`)
      return { ret: { targetId } }
    }),
    serve(local.updateTarget, async ({ cid, targetId, name, url, key, start }, { application }) => {
      await checkUrl(local.updateTarget, url)
      own(local.updateTarget, application, cid)
      checkKey(local.updateTarget, key)
      const change = { name, url, key, start: start === undefined ? undefined : oneOf(targetStarts, start) }
      return known(local.updateTarget, await targets.change(cid, targetId, change))
    }),
    serve(local.removeTarget, async ({ cid, targetId }, { application }) => {
      own(local.removeTarget, application, cid)
      return known(local.removeTarget, await targets.remove(cid, targetId))
    }),
    serve(local.startTarget, async ({ cid, targetId }, { application }) => {
      own(local.startTarget, application, cid)
      return known(local.startTarget, await targets.start(cid, targetId))
    }),
    serve(local.stopTarget, async ({ cid, targetId }, { application }) => {
      own(local.stopTarget, application, cid)
      return known(local.stopTarget, await targets.stop(cid, targetId))
    }),
  ]
}
