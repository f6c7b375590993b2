import { computed, ref, shallowReactive, type Ref } from 'vue'
import type { Measure } from '../../../contract/rpc/index.ts'
import { sendFrom } from '../../sent-text.ts'

type Take = (why: string) => Promise<boolean>

/** Typed reasons by person. `shown`: whose card is open. */
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
    /** Sends and empties the reason only if the person's card is open: a hidden one is not sent. */
    send: (measure: Measure, take: Take): Promise<boolean> =>
      'target' in measure && measure.target === shown.value ? against(measure.target, take) : take(''),
    /** As typed in the dialog. */
    asked,
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
