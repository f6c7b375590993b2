import type { GoLiveLine } from './go-live-facts.ts'

/** Chat and moderators are wishes: without them nothing is wrong. */
const wished: ReadonlySet<string> = new Set(['room', 'moderators'])
/** They have a picture to read first. */
const ofPicture: ReadonlySet<string> = new Set(['flv', 'hls', 'audio'])

const hinders = ({ name, state }: GoLiveLine): boolean => state === 'fault' || (state === 'warn' && !wished.has(name))
const isRefused = ({ says }: GoLiveLine): boolean =>
  says.startsWith('ingest.refused_') && says !== 'ingest.refused_keyFrom'

/** Names a line, also where several are of one name. */
export const keyOf = ({ name, targetId, says }: GoLiveLine): string => `${name}/${targetId ?? ''}/${says}`

/** What of the check can be told before a picture comes, and what of it somebody should see to, faults before notes. */
export function beforePush(lines: readonly GoLiveLine[]) {
  const told = lines.filter(
    (line) => line.state !== 'none' && !ofPicture.has(line.name) && (line.name !== 'ingest' || isRefused(line)),
  )
  const faults = told.filter(hinders)
  return {
    lines: told,
    faults: [...faults.filter(({ state }) => state === 'fault'), ...faults.filter(({ state }) => state === 'warn')],
    ready: told.filter((line) => line.state !== 'wait' && !hinders(line)).length,
    isRunning: told.some(({ state }) => state === 'wait'),
  }
}
