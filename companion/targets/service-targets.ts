import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { PartPorts } from '../part-ports.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { onReadyChange } from '../supervisor/service-ready.ts'
import { createTargets, type Targets } from './targets.ts'

/** Targets of extended services, which are given their keys when they are there again. */
export function createServiceTargets(
  ports: Pick<PartPorts, 'vault' | 'entryName' | 'client' | 'isExtended' | 'log'> & {
    readonly hub: { post(event: AppEvent): void }
    readonly tell: (event: AppEvent) => void
    readonly supervisor: Parameters<typeof onReadyChange>[0]
    readonly clock: Clock
  },
): Targets & { readonly giveSoon: (profileId: string) => void } {
  const { client, hub, tell, supervisor, clock, log } = ports
  const targets = createTargets({
    ...ports,
    changed: (profileId, cid) => hub.post({ type: 'targets', profileId, cid }),
    removed: (profileId, cid, targetId) =>
      tell({ type: 'target', profileId, cid, at: clock.now(), targetId, target: null, removed: true }),
  })
  const giveSoon = (profileId: string): void => {
    const given = client(profileId).then((service) => targets.give(profileId, service))
    inBackground(given, log, 'giving targets their keys')
  }
  onReadyChange(supervisor, (ready) => {
    if (ready) giveSoon(localProfileId)
  })
  return { ...targets, giveSoon }
}
