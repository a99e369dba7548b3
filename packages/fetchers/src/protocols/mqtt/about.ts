import type { About } from '../../contract/about.ts'

export const mqtt: About<'mqtt'> = {
  mechanism: 'mqtt',
  title: 'MQTT',
  honours: { count: 'all', jsonMessages: 'all', login: 'all' },
}
