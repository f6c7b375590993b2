import { implement } from '@orpc/server'
import { rpc } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Target, TargetBoard } from '../../contract/rpc/targets.ts'

/** A target in a state, of the channel that is on air. */
export const makeTarget = (targetId: number, change: Partial<Target> = {}): Target => ({
  targetId,
  name: 'Twitch',
  preset: 'twitch',
  url: 'rtmps://ingest.example/app',
  start: 'push',
  hasKey: true,
  keyEnd: 'k7Qx',
  keyForgotten: false,
  keyGone: false,
  state: 'sending',
  since: 0,
  kbps: 6_004,
  dropped: 0,
  reconnects: 0,
  tries: 0,
  nextTry: null,
  reason: null,
  answer: null,
  ...change,
})

/** A scene of targets for pictures and page tests. */
export type TargetScene = 'none' | 'ready' | 'sending' | 'retrying' | 'refused' | 'over'

/** The targets of a scene. */
export function makeTargets(scene: TargetScene, at: number): TargetBoard {
  const since = at - 5_918_000
  const idle = { kbps: 0, since: at - 86_400_000 } as const
  const twitch = makeTarget(1, { since })
  const youtube = makeTarget(2, {
    name: 'YouTube',
    preset: 'youtube',
    since,
    kbps: 6_011,
    keyEnd: '93bd',
    reconnects: 1,
  })
  const campus = makeTarget(3, {
    name: 'Campus',
    preset: 'custom',
    since: at - 3_600_000,
    kbps: 0,
    dropped: 2,
    state: 'stopped',
  })
  switch (scene) {
    case 'none':
      return { targets: [], needs: 0, budget: 0, waiting: 0 }
    case 'ready':
      return {
        targets: [
          { ...twitch, ...idle, state: 'off' },
          { ...youtube, ...idle, state: 'off', start: 'hand', reconnects: 0 },
          { ...campus, ...idle, state: 'noKey', hasKey: false, keyEnd: null, dropped: 0 },
        ],
        needs: 0,
        budget: 20_000,
        waiting: 0,
      }
    case 'sending':
      return { targets: [twitch, youtube, campus], needs: 12_015, budget: 20_000, waiting: 0 }
    case 'retrying':
      return {
        targets: [
          twitch,
          {
            ...youtube,
            state: 'retrying',
            since: at - 50_000,
            kbps: 0,
            dropped: 318,
            tries: 2,
            nextTry: at + 8_000,
            reason: 'noAnswer',
          },
          campus,
        ],
        needs: 12_015,
        budget: 20_000,
        waiting: 0,
      }
    case 'refused':
      return {
        targets: [
          {
            ...twitch,
            state: 'refused',
            since: at - 20_000,
            kbps: 0,
            tries: 3,
            reason: 'refused',
            answer: 'NetStream.Publish.BadName: stream key is not known',
          },
          { ...youtube, state: 'stalled', kbps: 1_204, dropped: 1_811 },
          { ...campus, state: 'noKey', hasKey: false, keyEnd: null },
        ],
        needs: 6_002,
        budget: 0,
        waiting: 0,
      }
    case 'over':
      return {
        targets: [
          twitch,
          youtube,
          { ...campus, state: 'connecting', dropped: 0 },
          makeTarget(4, { name: 'Kick', preset: 'kick', since }),
        ],
        needs: 24_012,
        budget: 20_000,
        waiting: 0,
      }
  }
}

/** Targets in memory, of every channel the same. */
export function fakeTargets(scene: TargetScene, at: number, tell: (event: AppEvent) => void) {
  const os = implement(rpc).targets
  let board = makeTargets(scene, at)
  const change = (profileId: string, cid: string, targets: readonly Target[]): void => {
    board = { ...board, targets: [...targets] }
    tell({ type: 'targets', profileId, cid })
  }
  const setState = (
    { profileId, cid, targetId }: { readonly profileId: string; readonly cid: string; readonly targetId: number },
    state: Target['state'],
  ): void =>
    change(
      profileId,
      cid,
      board.targets.map((one) => (one.targetId === targetId ? { ...one, state, since: Date.now() } : one)),
    )
  return {
    list: os.list.handler(() => board),
    add: os.add.handler(({ input: { profileId, cid, key, ...more } }) => {
      const targetId = Math.max(0, ...board.targets.map((one) => one.targetId)) + 1
      const facts = {
        ...more,
        hasKey: key !== undefined,
        keyEnd: key?.slice(-4) ?? null,
        state: 'off' as const,
        kbps: 0,
      }
      change(profileId, cid, [...board.targets, makeTarget(targetId, facts)])
      return { targetId, key: key === undefined ? ('none' as const) : ('keychain' as const) }
    }),
    update: os.update.handler(({ input: { profileId, cid, targetId, key, ...given } }) => {
      const more = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      change(
        profileId,
        cid,
        board.targets.map((one) =>
          one.targetId === targetId
            ? { ...one, ...more, ...(key !== undefined && { hasKey: true, keyEnd: key.slice(-4) }) }
            : one,
        ),
      )
      return { key: key === undefined ? ('none' as const) : ('keychain' as const) }
    }),
    remove: os.remove.handler(({ input }) =>
      change(
        input.profileId,
        input.cid,
        board.targets.filter(({ targetId }) => targetId !== input.targetId),
      ),
    ),
    start: os.start.handler(({ input }) => setState(input, 'sending')),
    stop: os.stop.handler(({ input }) => setState(input, 'stopped')),
  }
}
