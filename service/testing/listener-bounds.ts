import type { ListenerBounds } from '../../platform/bounded-listener.ts'
import { createDescriptorBudget } from '../../platform/descriptors.ts'
import { listenerPlaces } from '../listener-bounds.ts'

/** Bounds of a listener in a test: by default the media listener's; refusals are recorded in `refusals`. */
export const testBounds = (given: Partial<ListenerBounds> & { readonly refusals?: string[] } = {}): ListenerBounds => ({
  places: listenerPlaces.media,
  descriptors: createDescriptorBudget().share(1),
  refused: (why) => void given.refusals?.push(why),
  ...given,
})
