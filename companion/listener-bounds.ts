import type { ListenerBounds } from '../platform/bounded-listener.ts'
import type { PlaceLimits } from '../platform/connection-places.ts'
import { createDescriptorBudget, descriptorLimit } from '../platform/descriptors.ts'
import { createRefusalCount } from '../platform/refusal-count.ts'

/** Connections by listener; a page needs up to seven. */
export const listenerPlaces = {
  page: { all: 512, perAddress: 384, perLoopback: 384 },
  moderators: { all: 512, perAddress: 96, perLoopback: 256 },
  receiver: { all: 64, perAddress: 32, perLoopback: 48 },
} as const satisfies Record<string, PlaceLimits>

/** Limits of the companion's listeners. */
export type CompanionBounds = Readonly<ReturnType<typeof createCompanionBounds>>

/** Divides the process's file descriptors among the listeners; logs refusals. */
export function createCompanionBounds({
  log,
  limit = descriptorLimit(),
}: {
  readonly log: (line: string) => void
  readonly limit?: number
}) {
  const budget = createDescriptorBudget(limit)
  const counting = (what: string) =>
    createRefusalCount((refused) => {
      const parts = Object.entries(refused).map(([why, count]) => `${why} ${count}`)
      log(`the listener of ${what} turned connections away: ${parts.join(', ')}`)
    })
  const counts = { page: counting('the page'), moderators: counting('moderators'), receiver: counting('a receiver') }
  const bounds = (name: keyof typeof listenerPlaces, kept: number): ListenerBounds => ({
    places: listenerPlaces[name],
    descriptors: budget.share(kept),
    refused: (why) => counts[name].add(why),
  })
  return {
    page: bounds('page', 1 / 8),
    moderators: bounds('moderators', 1 / 16),
    /** Of each receiver; descriptors are shared by all. */
    receiver: bounds('receiver', 1 / 32),
    /** Connections made by the relay. */
    relay: budget.share(1 / 8),
    joined: budget.share(1 / 32),
    /** Logs what was refused since the last line. */
    close: () => {
      for (const count of Object.values(counts)) count.close()
    },
  }
}
