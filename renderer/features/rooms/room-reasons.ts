import { computed, ref, shallowReactive, type Ref } from 'vue'
import type { Measure } from '../../../contract/rpc/index.ts'
import { sendFrom } from '../../sent-text.ts'

type Take = (why: string) => Promise<boolean>

/** Reasons as typed, by person, so that none goes with a measure against another. `shown`: whose card is open. */
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
    /** Sends and empties the reason only if the card of that person is open: a hidden one is not sent. */
    send: (measure: Measure, take: Take): Promise<boolean> =>
      'target' in measure && measure.target === shown.value ? against(measure.target, take) : take(''),
    /** The reason as typed in the dialog; it counts once confirmed. */
    asked,
    /** Starts the dialog with the reason from the person's card. */
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
