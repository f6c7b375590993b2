import { implement } from '@orpc/server'
import { rpc } from '../../contract/rpc/index.ts'
import { makeFigures, type Scenario } from './fake-state.ts'

/** Ten minutes of figures with one drop, and a few drops before. */
export function fakeHealth(scenario: Scenario) {
  const os = implement(rpc).health
  return {
    recent: os.recent.handler(({ input }) => {
      const now = Date.now()
      if (input.profileId !== 'local' || scenario === 'empty') return { samples: [], turns: [] }
      const lost = now - 252_000
      return {
        samples: Array.from({ length: 600 }, (_, second) => now - (600 - second) * 1_000)
          .filter((at) => at < lost || at > lost + 14_000)
          .map((at) => {
            const { kbps, fps, drift } = makeFigures(at, 0, scenario)
            const near = at < lost && at > lost - 20_000 ? (at - lost + 20_000) / 20_000 : 0
            return {
              at,
              kbps: kbps === null ? null : kbps * (1 - near * 0.6),
              fps: fps === null ? null : fps * (1 - near * 0.4),
              drift: (drift ?? 0) + near * 5_200,
            }
          }),
        turns: [
          { at: now - 5_400_000, kind: 'refused', detail: 'wrong key', remedy: 'key' },
          { at: now - 5_360_000, kind: 'started', detail: null, remedy: null },
          { at: lost, kind: 'ended', detail: 'lost', remedy: null },
          { at: lost + 14_200, kind: 'started', detail: null, remedy: null },
        ],
      }
    }),
  }
}
