import type { scenes } from '../../contract/link/frames.ts'
import { accidPattern } from '../../contract/operations/messaging.ts'
import { Refused } from '../refusal.ts'
import type { SenderAccounts, SenderTeam, SenderTeams } from './sources.ts'

/** The two kinds of conversation. */
export type Scene = (typeof scenes)[number]

const accidShape = new RegExp(accidPattern, 'u')

/** An accid in lower case; undefined if invalid. */
export const readAccid = (written: string): string | undefined =>
  accidShape.test(written) ? written.toLowerCase() : undefined

/** The checked recipient of a message. */
export type Recipient =
  | { readonly scene: 'p2p'; readonly accid: string }
  | { readonly scene: 'team'; readonly team: SenderTeam }

/** Finds the recipient: 414 for an unknown account or team, 403 for a team in which the sender may not speak. */
export function findRecipient(
  { accounts, teams }: { readonly accounts: SenderAccounts; readonly teams: SenderTeams },
  { uid, from, scene, to }: { readonly uid: number; readonly from: string; readonly scene: Scene; readonly to: string },
): Recipient {
  if (!accounts.find(uid, from)) throw new Refused(414, `${from} is not registered`, 'missing')
  if (scene === 'p2p') {
    const accid = readAccid(to)
    if (accid === undefined || !accounts.find(uid, accid)) throw new Refused(414, `${to} is not registered`, 'missing')
    return { scene, accid }
  }
  const team = teams.find(uid, to)
  if (!team) throw new Refused(414, 'no such team', 'missing')
  if (!team.members.has(from)) throw new Refused(403, `${from} is not in the team`)
  if (!teams.maySpeak(team, from)) throw new Refused(403, `${from} is muted in the team`)
  return { scene, team }
}

/** Members of a team except one. */
export const othersIn = ({ members }: SenderTeam, accid: string): string[] =>
  [...members.keys()].filter((member) => member !== accid)
