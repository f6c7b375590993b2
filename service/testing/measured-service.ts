import { inBackground } from '../background.ts'
import type { ServiceChoices, ServiceReady } from '../../contract/service-process.ts'
import { createLog, silentLog } from '../log.ts'
import { createService } from '../root.ts'
import { measureLoopDelay, type LoopDelay } from './loop-delay.ts'
import { testCredentials } from './start-service.ts'

/** Requests of a test to this process: start a service (or nothing, as a control), measure, report. */
export type ToMeasured =
  | { readonly type: 'start'; readonly choices: ServiceChoices | null }
  | { readonly type: 'begin' }
  | { readonly type: 'end' }
/** Its answers. */
export type FromMeasured =
  | { readonly type: 'ready'; readonly ready: ServiceReady | null }
  | { readonly type: 'measured'; readonly delay: LoopDelay }

const say = (message: FromMeasured): void => void process.send?.(message)
let end: (() => LoopDelay) | undefined

process.on('disconnect', () => process.exit(0))
process.on('message', (message: ToMeasured) => {
  if (message.type === 'start') {
    if (!message.choices) say({ type: 'ready', ready: null })
    else {
      const started = createService({ ...message.choices, credentials: testCredentials, log: silentLog }).then(
        ({ ready }) => say({ type: 'ready', ready }),
      )
      inBackground(started, createLog(), 'starting the measured service')
    }
  } else if (message.type === 'begin') end = measureLoopDelay()
  else if (end) say({ type: 'measured', delay: end() })
})
