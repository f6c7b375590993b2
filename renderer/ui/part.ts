import { inject, ref, type InjectionKey, type Ref } from 'vue'

/** Whether the cards of the Studio stand as parts of one card, as before a broadcast. */
export const partKey: InjectionKey<Readonly<Ref<boolean>>> = Symbol('part')

/** False where nothing says so. */
export const usePart = (): Readonly<Ref<boolean>> => inject(partKey, () => ref(false), true)
