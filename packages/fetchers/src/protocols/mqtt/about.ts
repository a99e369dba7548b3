import { mqtt as mqttScheme, mqtts } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const mqtt: About<'mqtt'> = {
  mechanism: 'mqtt',
  schemes: [mqttScheme, mqtts],
  title: 'MQTT',
  honours: { count: 'all', jsonMessages: 'all', login: 'all' },
}
