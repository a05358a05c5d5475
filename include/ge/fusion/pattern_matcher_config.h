// PatternMatcherConfig: how exactly a pattern's nodes are compared.
#ifndef GE_FUSION_PATTERN_MATCHER_CONFIG_H_
#define GE_FUSION_PATTERN_MATCHER_CONFIG_H_

#include <memory>

namespace ge {
inline namespace v1 {
namespace fusion {

class PatternMatcherConfig {
 public:
  // Constants must have equal values.
  bool IsEnableConstValueMatch() const { return const_value_; }
  // Attributes of the operator's definition must have equal values.
  bool IsEnableIrAttrMatch() const { return ir_attr_; }
  // Operators that commute also match with their operands swapped.
  bool IsEnableCommutativeMatch() const { return commutative_; }

 private:
  friend class PatternMatcherConfigBuilder;

  bool const_value_ = false;
  bool ir_attr_ = false;
  bool commutative_ = false;
};

// Everything is off until asked for.
class PatternMatcherConfigBuilder {
 public:
  PatternMatcherConfigBuilder &EnableConstValueMatch() {
    config_.const_value_ = true;
    return *this;
  }
  PatternMatcherConfigBuilder &EnableIrAttrMatch() {
    config_.ir_attr_ = true;
    return *this;
  }
  PatternMatcherConfigBuilder &EnableCommutativeMatch() {
    config_.commutative_ = true;
    return *this;
  }
  std::unique_ptr<PatternMatcherConfig> Build() const {
    return std::unique_ptr<PatternMatcherConfig>(new PatternMatcherConfig(config_));
  }

 private:
  PatternMatcherConfig config_;
};

}  // namespace fusion
}  // namespace v1
}  // namespace ge

#endif  // GE_FUSION_PATTERN_MATCHER_CONFIG_H_
