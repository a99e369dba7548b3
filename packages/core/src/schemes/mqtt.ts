import type { MqttPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** curl's form: `mqtt://user:password@host:port/topic`; no RFC has one. */
export const mqtt: Scheme = {
  name: 'mqtt',
  title: 'Messages of an MQTT topic',
  spec: 'MQTT 3.1.1; the URL is a convention',
  mechanism: 'mqtt',
  defaultPort: 1883,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: false,
  lineParts: ['user', 'urlPath'],
  sendsFirst: true,
  isFramed: () => true,
  sendsPassword: true,
  resolve: (locator, place) => mqttPlan(locator, place, 'none'),
}

export const mqtts: Scheme = {
  ...mqtt,
  name: 'mqtts',
  title: `${mqtt.title} over TLS`,
  defaultPort: 8883,
  tls: 'implicit',
  resolve: (locator, place) => mqttPlan(locator, place, 'implicit'),
}

function mqttPlan({ user, password, urlPath }: Locator, place: Place, tls: 'none' | 'implicit'): MqttPlan {
  const topic = decodeOctets(urlPath ?? '')
  if (topic === '') place.fail('a topic must follow, as in mqtt://host/topic', 'urlPath')
  return {
    mechanism: 'mqtt',
    host: place.host,
    port: place.port,
    tls,
    user: user === null ? null : decodeOctets(user),
    password: password === null ? null : decodeOctets(password),
    topic,
    wire: [],
  }
}
