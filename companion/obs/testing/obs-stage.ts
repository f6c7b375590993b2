import { sessionVault } from '../../secrets/session-vault.ts'
import type { ObsState } from '../../../contract/rpc/obs.ts'
import { Failure } from '../../failure.ts'
import type { Vault } from '../../secrets/vault.ts'
import { manualClock, type ManualClock } from '../../../platform/testing/manual-clock.ts'
import { obsConnections } from '../obs-connection.ts'
import { openObs, type Obs } from '../obs.ts'

/** OBS driven in a test: real sockets, a clock that the test moves, and everything that was told. */
export interface ObsStage {
  readonly obs: Obs
  readonly clock: ManualClock
  readonly vault: Vault
  readonly told: ObsState[]
  readonly log: string[]
  /** Server and key of each channel; none: no such channel. */
  readonly addresses: Map<string, { server: string; key: string }>
  watched: boolean
  now(): ObsState
}

/**
 * Opens one on a folder; the vault of an earlier one can be handed on. With `reach` every connection goes to that
 * host.
 */
export async function startObsStage(
  dataDir: string,
  vault: Vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }),
  { reach }: { reach?: string } = {},
): Promise<ObsStage> {
  const clock = manualClock()
  const told: ObsState[] = []
  const log: string[] = []
  const addresses = new Map<string, { server: string; key: string }>()
  const stage: Omit<ObsStage, 'obs'> & { obs?: Obs } = {
    clock,
    vault,
    told,
    log,
    addresses,
    watched: true,
    now: () => made.state(),
  }
  const made = await openObs({
    dataDir,
    vault,
    entryName: (name) => `test:${name}`,
    clock,
    open: (place, events) => obsConnections(clock)(reach === undefined ? place : { ...place, host: reach }, events),
    push: (_profileId, cid) => {
      const address = addresses.get(cid)
      return address ? Promise.resolve(address) : Promise.reject(new Failure('absent', 'no such channel'))
    },
    watched: () => stage.watched,
    changed: (state) => {
      told.push(state)
    },
    log: (line) => {
      log.push(line)
    },
  })
  return Object.assign(stage, { obs: made })
}
