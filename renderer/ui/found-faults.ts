import { computed, shallowRef, watch, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { readFoundFault, type FoundFault } from '../../contract/found-faults.ts'
import type { Failure } from '../data/failure.ts'

/** What the service found wrong in a form. */
export interface FoundFaults<N extends string> {
  /** Words for the field of a parameter, until it is changed. */
  faultOf(parameter: N): string | false
  /** The failure, as far as no field has words for it. One from before the form was opened is left out. */
  readonly rest: ComputedRef<Failure | null>
}

/** `fields` are the texts of the fields, by parameter. */
export function useFoundFaults<N extends string>(
  failure: () => Failure | null,
  fields: Readonly<Record<N, () => string>>,
): FoundFaults<N> {
  const { t } = useI18n()
  const before = failure()
  const found = shallowRef<{ readonly parameter: N; readonly kind: FoundFault; readonly text: string } | null>(null)
  watch(failure, (now) => {
    const fault = now?.kind === 'code' ? readFoundFault(now.detail, Object.keys(fields) as N[]) : undefined
    found.value = fault ? { ...fault, text: fields[fault.parameter]() } : null
  })
  return {
    faultOf(parameter) {
      const { value } = found
      return value?.parameter === parameter && value.text === fields[parameter]() ? t(`found.${value.kind}`) : false
    },
    rest: computed(() => {
      const isSaid = found.value !== null && found.value.kind !== 'other'
      return isSaid || failure() === before ? null : failure()
    }),
  }
}
