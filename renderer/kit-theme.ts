/** Colours, sizes and edges from our tokens (docs/design, section 4). */
export const kitTheme = {
  colors: {
    primary: 'ice',
    secondary: 'graphite',
    success: 'ok',
    info: 'ice',
    warning: 'arm',
    error: 'air',
    neutral: 'graphite',
  },
  button: {
    slots: {
      base: 'rounded-md font-medium outline-none focus-visible:outline-2 focus-visible:outline-offset-1 focus-visible:outline-ice aria-disabled:opacity-45 disabled:opacity-45 transition-colors duration-[120ms] ease-out whitespace-nowrap',
    },
    variants: {
      size: {
        sm: { base: 'h-7 px-2 py-0 text-sm gap-1.5', leadingIcon: 'size-4', trailingIcon: 'size-4' },
        md: { base: 'h-8 px-2.5 py-0 text-sm gap-2', leadingIcon: 'size-4', trailingIcon: 'size-4' },
      },
    },
    compoundVariants: [
      { color: 'primary', variant: 'solid', class: 'bg-ice text-icefg hover:bg-ice/88 active:bg-ice/80' },
      {
        color: 'neutral',
        variant: 'outline',
        class: 'bg-transparent ring-line2 text-t1 hover:bg-e2 active:bg-e2 focus-visible:ring-line2',
      },
      { color: 'neutral', variant: 'ghost', class: 'text-t1 hover:bg-e2 active:bg-e2' },
      {
        color: 'error',
        variant: 'outline',
        class: 'bg-transparent ring-airt/60 text-airt hover:bg-airt/10 active:bg-airt/10 focus-visible:ring-airt',
      },
      { color: 'error', variant: 'solid', class: 'bg-airt text-airtfg hover:bg-airt/88 active:bg-airt/80' },
      { color: 'primary', variant: 'link', class: 'text-ice hover:underline px-0 h-auto font-normal' },
      { size: 'sm', square: true, class: 'p-0 w-7 justify-center' },
      { size: 'md', square: true, class: 'p-0 w-8 justify-center' },
    ],
    defaultVariants: { size: 'md' },
  },
  input: {
    slots: {
      base: 'rounded-md bg-e1 ring-ctl text-t1 placeholder:text-t3 aria-disabled:opacity-45',
      leadingIcon: 'text-t2',
    },
    variants: { size: { md: { base: 'h-8 px-2.5 py-0 text-sm/5', leadingIcon: 'size-4' } } },
    compoundVariants: [
      {
        color: 'primary',
        variant: 'outline',
        class: 'focus-visible:outline-0 focus-visible:ring-2 focus-visible:ring-ice',
      },
      // Invalid input is a warning, not irreversible: amber.
      {
        color: 'error',
        variant: 'outline',
        class: 'focus-visible:outline-0 focus-visible:ring-2 focus-visible:ring-armt',
      },
      { color: 'error', highlight: true, class: 'ring-armt' },
    ],
    defaultVariants: { size: 'md' },
  },
  formField: {
    slots: {
      label: 'font-medium text-t1',
      description: 'text-t2',
      hint: 'text-t2 text-sm',
      help: 'mt-1.5 text-t2',
      error: 'mt-1.5 text-armt flex gap-1.5',
    },
  },
  checkbox: {
    slots: {
      base: 'rounded-xs ring-ctl bg-transparent focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-ice',
      indicator: 'bg-ice text-icefg',
    },
  },
  table: {
    slots: {
      root: 'relative overflow-auto focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-ice',
      base: 'min-w-full border-separate border-spacing-0 table-fixed',
      thead: 'sticky top-0 z-10 bg-e1 backdrop-blur-none after:hidden',
      th: 'h-9 px-3 py-0 text-xs font-medium text-t2 border-b border-line2 whitespace-nowrap',
      tbody: 'divide-y-0 [&>tr]:data-[selected=true]:bg-icebg [&>tr]:hover:bg-e2/50',
      td: 'h-11 px-3 py-0 text-sm text-t2 border-b border-line whitespace-nowrap',
      separator: 'hidden',
    },
  },
  modal: {
    slots: {
      // Overlays begin below the title bar, so that the lamp stays visible.
      overlay: 'bg-black/55 top-(--title-height)',
      content: 'bg-e1 ring-line2 rounded-lg divide-y-0 shadow-float',
      header: 'min-h-0 px-4 pt-4 pb-0 sm:px-4 block',
      title: 'text-base font-semibold text-t1',
      description: 'text-sm text-t2 mt-1',
      body: 'px-4 py-4 sm:p-4',
      footer: 'px-4 pb-4 pt-0 sm:px-4 justify-end gap-2',
      close: 'top-3 end-3',
    },
    variants: {
      overlay: { true: { overlay: 'bg-black/55' } },
      fullscreen: {
        false: {
          content: 'rounded-lg ring-line2 shadow-float max-w-md',
        },
      },
    },
    // In the middle of what the toasts leave, and below the title bar.
    compoundVariants: [
      {
        scrollable: false,
        fullscreen: false,
        class: {
          content: [
            'top-[calc((100dvh-var(--toasts,0px))/2)]',
            'max-h-[calc(100dvh-2rem-var(--toasts,0px))] sm:max-h-[calc(100dvh-6rem-var(--toasts,0px))]',
          ],
        },
      },
    ],
  },
  slideover: {
    slots: { overlay: 'bg-black/55 top-(--title-height)' },
    variants: { overlay: { true: { overlay: 'bg-black/55' } } },
    // The kit sets both ends of the drawer last.
    compoundVariants: [
      { side: 'right', inset: false, class: { content: 'top-(--title-height) bottom-[var(--toasts,0px)]' } },
    ],
  },
  dropdownMenu: {
    slots: {
      content: 'bg-e2 ring-line2 rounded-lg shadow-float min-w-44',
      item: 'text-sm px-2 py-1.5 gap-2 before:rounded-md data-highlighted:before:bg-ice/15',
      itemLeadingIcon: 'text-t2',
      label: 'text-xs font-medium text-t3 px-2 py-1',
      separator: 'bg-line2',
    },
    variants: { size: { md: { itemLeadingIcon: 'size-4' } } },
  },
  commandPalette: {
    slots: {
      label: 'text-xs font-medium text-t3',
      item: 'text-sm items-center',
      itemLabel: 'text-t1',
      itemLabelBase: 'text-t1 [&>mark]:bg-transparent [&>mark]:text-ice',
      itemLabelSuffix: 'text-t3 [&>mark]:bg-transparent [&>mark]:text-ice',
      itemLeadingIcon: 'text-t2',
      empty: 'text-t2 text-sm',
    },
    variants: { size: { md: { itemLeadingIcon: 'size-4' } } },
  },
  // The unchecked state needs an edge of 3:1 on every surface.
  switch: { slots: { base: 'data-[state=unchecked]:bg-ctl' } },
  tooltip: {
    slots: {
      content: 'bg-e2 text-t1 ring-line2 rounded-md shadow-float h-auto max-w-72 px-2 py-1 text-xs',
      text: 'whitespace-normal',
    },
  },
  // One line where there is room, as toasts take theirs from the screen.
  toast: {
    slots: {
      root: 'bg-e2 ring-line2 rounded-lg shadow-float px-3 py-2 items-center',
      wrapper: 'flex-row flex-wrap items-center gap-x-2 gap-y-1',
      title: 'text-sm font-medium text-t1 wrap-anywhere',
      description: 'text-sm text-t2 wrap-anywhere',
    },
    variants: {
      orientation: { vertical: { root: 'items-center', actions: 'mt-0 ms-auto' } },
      title: { true: { description: 'mt-0' } },
    },
  },
  kbd: { base: 'normal-case rounded-xs font-medium text-[11px] h-4 px-1 ring-line2 text-t1 bg-transparent' },
  tabs: {
    slots: {
      list: 'relative flex p-0.5 rounded-md bg-e1 ring ring-inset ring-line2 h-8',
      trigger:
        'h-7 px-2 py-0 text-sm rounded-sm font-normal data-[state=active]:font-medium text-t2 data-[state=active]:text-t1 data-[state=active]:bg-e2 focus-visible:outline-2 focus-visible:outline-ice',
      indicator: 'hidden',
    },
  },
  progress: { slots: { base: 'bg-line h-1 rounded-xs', indicator: 'bg-ice rounded-xs' } },
  skeleton: { base: 'bg-line rounded-xs animate-none' },
} as const

/** In normal flow: the kit measures heights before fonts load and names wrap. */
export const toaster = {
  viewport: 'gap-2 bottom-9 sm:w-[min(40rem,calc(100%-2rem))] h-auto data-[expanded=true]:h-auto',
  base: 'static inset-auto transform-none data-[expanded=true]:transform-none',
} as const
