import UFormField, { type FormFieldProps } from '@nuxt/ui/components/FormField.vue'
import UInput, { type InputProps } from '@nuxt/ui/components/Input.vue'
import { h, type Component, type FunctionalComponent, type VNode } from 'vue'
import { mayTakeFocus } from './asked-focus.ts'
import { showFault } from './shown-fault.ts'

type Labels = Pick<FormFieldProps, 'label' | 'name' | 'hint' | 'help' | 'error'>
type TextFieldProps = Labels &
  Omit<InputProps, 'ui' | 'modelValue' | keyof Labels> & {
    readonly mono?: true
    readonly modelValue: string
    readonly 'onUpdate:modelValue'?: (entered: string) => void
  }

/** The menu keeps the focus: a field that appears meanwhile, as when a screen has loaded, would close it. */
const isMenuOpen = (): boolean => document.querySelector('[role="menu"][data-state="open"]') !== null
/** Later than a dialog gives the focus to its first control. */
function takeFocus({ el }: VNode): void {
  const may = mayTakeFocus()
  setTimeout(() => {
    if (may() && el instanceof HTMLElement) el.querySelector('input')?.focus()
  })
}

const TextField: FunctionalComponent<TextFieldProps> = ({ label, name, hint, help, error, class: own, ...rest }) => {
  const { mono, ...input } = rest
  // An attribute without a value is ''.
  const asked: unknown = input.autofocus
  const takesFocus = (asked === '' || asked === true) && !isMenuOpen()
  const ui = mono === undefined ? {} : { ui: { base: 'font-mono text-xs' } }
  const field = { label, name, hint, help, error, class: own, onVnodeUpdated: showFault }
  return h(UFormField, field as FormFieldProps, () =>
    h(UInput as Component, {
      ...input,
      autofocus: false,
      ...(takesFocus && { onVnodeMounted: takeFocus }),
      class: 'w-full',
      ...ui,
    }),
  )
}
TextField.inheritAttrs = false

export default TextField
