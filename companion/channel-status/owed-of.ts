import type { AppEvent } from '../../contract/rpc/index.ts'

type Owed = AppEvent & { type: 'owed' }
const reasons = ['full', 'readOnly', 'broken', 'other'] as const

/** Passes on each change of why something is in force that the service of a profile could not store. */
export function owedOf(profileId: string, post: (event: Owed) => void): (given: string | undefined) => void {
  let now: Owed['reason'] = null
  return (given) => {
    const reason = given === undefined ? null : (reasons.find((one) => one === given) ?? 'other')
    if (reason === now) return
    now = reason
    post({ type: 'owed', profileId, reason })
  }
}
