import { ENROLMENT_VARIABLE, type Enrolment, readEnrolment } from '@rampart/node-client';
import { type Environment, messageOf, readSecret } from '@rampart/program';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** What is wrong with the text of an enrolment, in place of the enrolment. */
class EnrolmentProblem {
  constructor(readonly text: string) {}
}

/** The enrolment, or a value that `IsEnrolment` refuses. */
export function parseEnrolment(text: string): Enrolment | EnrolmentProblem {
  try {
    return readEnrolment(text);
  } catch (error) {
    return new EnrolmentProblem(messageOf(error));
  }
}

/** The enrolment of an environment; undefined where there is none, or one that `IsEnrolment` refuses. */
export function enrolmentIn(source: Environment): Enrolment | undefined {
  try {
    const text = readSecret(source, ENROLMENT_VARIABLE);
    return text === undefined ? undefined : readEnrolment(text);
  } catch {
    return undefined;
  }
}

/** Property decorator: the text of the setting must be an enrolment. */
export const IsEnrolment = (): PropertyDecorator =>
  ValidateBy({
    name: 'isEnrolment',
    validator: {
      validate: (value) => !(value instanceof EnrolmentProblem),
      defaultMessage: (args) => (args?.value instanceof EnrolmentProblem ? args.value.text : ''),
    },
  });

/** Property decorator: where there is an enrolment, the setting must be absent, or say the same. */
export const AgreesWithEnrolment = (member: 'apiKey' | 'port'): PropertyDecorator =>
  ValidateBy({
    name: 'agreesWithEnrolment',
    validator: {
      validate: (value, args) => {
        const enrolment = enrolmentBeside(args);
        return enrolment === undefined || value === enrolment[member];
      },
      defaultMessage: (args) => {
        const own = member === 'port' ? `the port ${enrolmentBeside(args)?.port}` : 'another key';
        return `must not be set beside ${ENROLMENT_VARIABLE}, which brings ${own}: remove one of them`;
      },
    },
  });

/** Property decorator: the setting must be absent where there is an enrolment, which brings its own certificates. */
export const NotBesideEnrolment = (): PropertyDecorator =>
  ValidateBy({
    name: 'notBesideEnrolment',
    validator: {
      validate: (value, args) => value === undefined || enrolmentBeside(args) === undefined,
      defaultMessage: () =>
        `must not be set beside ${ENROLMENT_VARIABLE}, which brings its own certificates: remove one of them`,
    },
  });

function enrolmentBeside(args: ValidationArguments | undefined): Enrolment | undefined {
  const enrolment: unknown = Reflect.get(args?.object ?? {}, 'enrolment');
  return enrolment instanceof EnrolmentProblem ? undefined : (enrolment as Enrolment | undefined);
}
