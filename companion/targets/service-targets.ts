import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { PartPorts } from '../part-ports.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { onReadyChange } from '../supervisor/service-ready.ts'
import { createTargets, type Targets } from './targets.ts'

/** Targets of the embedded service, which is given their keys at each start. */
export function createServiceTargets(
  ports: Pick<PartPorts, 'vault' | 'entryName' | 'client' | 'log'> & {
    readonly hub: { post(event: AppEvent): void }
    readonly tell: (event: AppEvent) => void
    readonly supervisor: Parameters<typeof onReadyChange>[0]
    readonly clock: Clock
  },
): Targets {
  const { client, hub, tell, supervisor, clock, log } = ports
  const targets = createTargets({
    ...ports,
    changed: (profileId, cid) => hub.post({ type: 'targets', profileId, cid }),
    removed: (profileId, cid, targetId) =>
      tell({ type: 'target', profileId, cid, at: clock.now(), targetId, target: null, removed: true }),
  })
  onReadyChange(supervisor, (ready) => {
    if (!ready) return
    const given = client(localProfileId).then((service) => targets.give(service))
    inBackground(given, log, 'giving targets their keys')
  })
  return targets
}
