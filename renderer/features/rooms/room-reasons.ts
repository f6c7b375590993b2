import { computed, ref, shallowReactive, type Ref } from 'vue'
import type { Measure } from '../../../contract/rpc/index.ts'
import { sendFrom } from '../../sent-text.ts'

type Take = (why: string) => Promise<boolean>

/** Reasons as they are typed, by person: none goes with a measure against another. `shown`: whose card is open. */
export function createRoomReasons(shown: Readonly<Ref<string | null>>) {
  const reasons = shallowReactive(new Map<string, string>())
  const of = (accid: string): Ref<string> =>
    computed({
      get: () => reasons.get(accid) ?? '',
      set: (typed) => (typed === '' ? reasons.delete(accid) : reasons.set(accid, typed)),
    })
  const asked = ref('')
  const against = (accid: string, take: Take): Promise<boolean> => sendFrom(of(accid), (typed) => take(typed.trim()))
  return {
    of,
    /** The reason goes along, and is emptied, only if the card of the same person is open: a hidden one is not sent. */
    send: (measure: Measure, take: Take): Promise<boolean> =>
      'target' in measure && measure.target === shown.value ? against(measure.target, take) : take(''),
    /** The reason as it is typed in a question: it counts when that is answered with yes. */
    asked,
    /** A question about a person begins with the reason that stands in their card. */
    ask(accid: string): void {
      asked.value = of(accid).value
    },
    answer(accid: string, take: Take): Promise<boolean> {
      of(accid).value = asked.value
      return against(accid, take)
    },
    clear(): void {
      reasons.clear()
    },
  }
}
