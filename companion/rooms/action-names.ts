import type { RoomAction } from '../../contract/rpc/index.ts'

const maxNames = 200

/** Fills in names that were unknown at the time, from other entries or `namesOf`. */
export async function withNames(
  all: readonly RoomAction[],
  namesOf: (accids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<RoomAction[]> {
  const names = new Map<string, string>()
  const wanted = new Set<string>()
  for (const { operator, operatorName, what, targetName } of all)
    for (const [accid, name] of [
      [operator, operatorName] as const,
      ['target' in what ? what.target : '', targetName] as const,
    ]) {
      if (name !== '' && !names.has(accid)) names.set(accid, name)
      else if (name === '' && accid !== '') wanted.add(accid)
    }
  const unknown = [...wanted].filter((accid) => !names.has(accid))
  for (let at = 0; at < unknown.length; at += maxNames) {
    const told = await namesOf(unknown.slice(at, at + maxNames)).catch(() => undefined)
    if (!told) break
    for (const [accid, name] of told) names.set(accid, name)
  }
  return all.map((action) => ({
    ...action,
    operatorName: action.operatorName || (names.get(action.operator) ?? ''),
    targetName: action.targetName || ('target' in action.what ? (names.get(action.what.target) ?? '') : ''),
  }))
}
